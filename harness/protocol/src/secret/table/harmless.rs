//! What is no secret, though it has the name of one, or stands where one could.

use super::super::Kind::{ApiKey, OneTimeCode, Password, Pin, SeedPhrase, Token};
use super::{
    Meaning,
    Meaning::{Elsewhere, Harmless, Other},
};

/// One line a language, as in the other tables.
pub(in super::super) const HARMLESS: &[(Meaning, &[&str])] = &[
    // Things that are no secret, though a secret's name is a part of theirs.
    (
        Harmless,
        &[
            "public key, public keys, primary key, foreign key, sort key, partition key, unique key, composite key, \
             cache key, object key, json key, dictionary key, translation key, idempotency key, issue key, \
             project key, routing key, host key, hash key, range key, site key, publishable key, \
             publishable api key, anon key, anonymous key, natural key, surrogate key, candidate key, message key, \
             group key, map key, config key, metadata key, storage key name, registry key, row key, search key, \
             lookup key, join key, ssh public key, leader key, modifier key, arrow key, function key, escape key, \
             enter key, shortcut key, key binding, key combination, key combo, key press, keyboard, keypad layout, \
             hot key, key frame, keyframe, key account, key takeaway, key takeaways, key point, key points, \
             key result, key results, key word, keyword, keywords, keynote, key signature, musical key, key insight, \
             key insights, key metric, key metrics, key stakeholders, key message, key contact, key note, \
             answer key, turnkey, monkey, donkey, key value pair, key features, key type, key size, key length, \
             key algorithm, key comment, key prefix, key label, key name, key id, key fingerprint, key path, \
             key file, key column, key usage, key rotation, key person, key decisions, key agreement, ignore key, \
             event key, label key, tag key, attribute key, secondary key, api key id, access key id, signing key id, \
             gpg key id, ssh key path, ssh key fingerprint",
            "öffentlicher schlüssel, öffentlichen schlüssel, öffentlichen schlüssels, oeffentlicher schluessel, \
             öffentliche schlüssel, primärschlüssel, primaerschluessel, fremdschlüssel, fremdschluessel, \
             sortierschlüssel, sortierschluessel, partitionsschlüssel, verteilschlüssel, schraubenschlüssel, \
             schlüsselwort, schlüsselwörter, notenschlüssel, schlüsselbegriffe, schlüsselergebnisse, hostschlüssel, \
             eindeutiger schlüssel, übersetzungsschlüssel, umlageschlüssel, cacheschlüssel, hauptschlüssel tabelle",
            "clé publique, clef publique, clés publiques, clé primaire, clé étrangère, clé tri, clé partition, \
             mot clé, mots clés, points clés, clé unique, clé cache, clé traduction, chiffres clés, clé usb, \
             clé api publique, résultats clés, clé hôte, clé objet, clé musicale, clé composite",
            "clave pública, claves públicas, llave pública, clave primaria, clave foránea, clave externa, \
             clave ajena, clave ordenación, clave partición, clave única, palabra clave, palabras clave, \
             punto clave, puntos clave, resultados clave, clave traducción, clave caché, llave primaria, \
             llave foránea, clave candidata, clave compuesta, clave objeto, conceptos clave, ideas clave, \
             clave host, clave musical, clave publicable",
            "chave pública, chaves públicas, chave primária, chave estrangeira, chave ordenação, chave partição, \
             chave única, palavra chave, palavras chave, pontos chave, resultados chave, chave tradução, \
             chave cache, chave composta, chave objeto, chave pix, chave host, chave publicável",
            "公開鍵, 主キー, 外部キー, ソートキー, パーティションキー, キーワード, キーボード, ショートカットキー, \
             プライマリキー, プライマリーキー, 候補キー, キャッシュキー, 一意キー, キーポイント, キーバインド, \
             キー割り当て, ホットキー, キーフレーム, パブリックキー, 複合キー, 修飾キー, キーリザルト, 翻訳キー, \
             オブジェクトキー, ホスト鍵",
            "公钥, 公开密钥, 主键, 外键, 排序键, 分区键, 关键词, 关键字, 快捷键, 公共密钥, 唯一键, 关键要点, \
             公开金钥, 键盘, 关键",
            "открыт* ключ*, публичн* ключ*, первичн* ключ*, внешн* ключ*, ключ* сортировки, ключ* секционирования, \
             ключев* слов*, уникальн* ключ*, ключ* кэша, ключев* момент*, ключев* показател*, ключ* перевода, \
             составн* ключ*, гаечн* ключ*, ключ* хоста, ключев* результат*, потенциальн* ключ*",
        ],
    ),
    (
        Harmless,
        &[
            "tokenizer, tokenizers, tokenization, tokenize, token budget, token limit, token count, max token, \
             min token, stop token, eos token, bos token, pad token, padding token, mask token, unk token, \
             cls token, sep token, special token, separator token, end token, start token, design token, \
             color token, colour token, spacing token, page token, next page token, next token, continuation token, \
             sync token, progress token, cancellation token, cancel token, resume token, idempotency token, \
             delimiter token, lexer token, syntax token, parser token, token symbol, token name, token contract, \
             token supply, token amount, governance token, nft token, token sale, token type, image token, \
             push token, csrf token, xsrf token, work done token, pagination token, search token, \
             anti forgery token, utility token, erc20 token, erc 20 token, reward token, cursor token, game token, \
             board token, id ed25519 pub, id rsa pub, id ecdsa pub, pem encoded, pem format, pem certificate, \
             pem file path, pem formatted",
            "tokenanzahl, tokenzahl, tokenlimit, tokenbudget, tokentyp",
            "jeton jeu, jeton casino, tokeniseur",
            "tokenizador",
            "",
            "トークナイザー, トークナイザ, トークン化, トークン数, 最大トークン, デザイントークン, 停止トークン",
            "分词器, 词元, 标记化, 最大令牌, 令牌数, token数, 停止令牌, 设计令牌, 分页令牌",
            "токенизатор*, токенизац*, стоп токен*, дизайн токен*, максимум токенов",
        ],
    ),
    (
        Harmless,
        &[
            "code review, code style, code snippet, code block, code sample, code owner, code owners, code coverage, \
             code page, code language, source code, postcode, post code, postal code, zip code, zipcode, color code, \
             colour code, hex code, promo code, promotion code, promotional code, coupon code, discount code, \
             voucher code, referral code, invite code, invitation code, area code, country code, dial code, \
             dialling code, dialing code, currency code, language code, locale code, region code, state code, \
             city code, qr code, bar code, barcode, airport code, error code, exit code, status code, http code, \
             response code, return code, class code, course code, product code, item code, swift code, bank code, \
             sort code, routing code, branch code, machine code, byte code, bytecode, pseudo code, pseudocode, \
             morse code, dress code, tax code, department code, station code, tracking code, booking code, \
             reservation code, booking confirmation code, embed code, legacy code, test code, example code, unicode, \
             vs code, vscode, claude code, code name, codename, encode, decode, codec, code point, reason code, \
             cost code, job code, industry code, hs code, icd code, activity code, code folder, code editor, \
             code format, mode code, pincode area, code of conduct, game code, room code, meeting code, event code, \
             gift message code, project code, team code, access code of the building plan, sku code, iata code, \
             iso code, code formatter, discount security code, key code, keycode, scan code, char code, opcode, \
             shortcode, short code, geocode",
            "postleitzahl, farbcode, gutscheincode, ländercode, laendercode, quellcode, fehlercode, rabattcode, \
             aktionscode, strichcode, währungscode, sprachcode, buchungscode, statuscode, flughafencode, morsecode, \
             einladungscode, exitcode, vorwahlcode, programmcode, empfehlungscode",
            "code postal, code couleur, code promo, code pays, code source, code erreur, code qr, code barres, \
             code langue, code devise, code réduction, code parrainage, code produit, code statut, code article, \
             code aéroport, code invitation, code ape, code naf, code région, code avantage, code swift, \
             code banque, code guichet, code vestimentaire, code sortie, code réservation",
            "código postal, código color, código promocional, código país, código fuente, código error, código qr, \
             código barras, código idioma, código moneda, código descuento, código producto, código estado, \
             código área, código referido, código invitación, código región, código cupón, código aeropuerto, \
             código swift, código salida, código artículo, código reserva vuelo, código vestimenta, código penal, \
             código civil, código fiscal, código programa",
            "código cor, código fonte, código erro, código moeda, código desconto, código produto, código status, \
             código convite, código indicação, código região, código cupom, código aeroporto, código saída, \
             código item, código rastreio, código rastreamento, código banco",
            "カラーコード, クーポンコード, 国コード, ソースコード, エラーコード, qrコード, バーコード, \
             プロモーションコード, プロモコード, 割引コード, 招待コード, 言語コード, 通貨コード, 終了コード, \
             ステータスコード, 商品コード, 空港コード, 紹介コード, 都道府県コード, 銀行コード, 支店コード, \
             文字コード, スタイルコード, コードレビュー, コードスニペット, レコード, コード名, コード例, \
             コードブロック, 郵便コード",
            "邮政编码, 颜色代码, 优惠码, 国家代码, 源代码, 错误代码, 二维码, 条形码, 邀请码, 折扣码, 语言代码, \
             货币代码, 退出代码, 状态代码, 产品代码, 机场代码, 推荐码, 代码片段, 代码审查, 代码风格, 代码块, 促销码, \
             激活邮件, 状态码, 错误码, 地区代码, 股票代码, 银行代码, 区号, 兑换码",
            "код* цвета, код* страны, исходн* код*, код* ошибки, qr код*, штрихкод*, штрих код*, промокод*, \
             код* языка, код* валюты, код* города, код* региона, код* товара, код* ответа, код* приглашения, \
             код* скидки, код* аэропорта, код* состояния, код* купона, код* возврата, код* завершения, куаркод*, \
             программн* код*, фрагмент* кода, код* бронирования, код* маркера, телефонн* код*, почтов* код*, \
             код* подразделения, код* оквэд",
        ],
    ),
    (
        Harmless,
        &[
            "pin to top, pin message, pin the message, pin version, pin to, gpio pin, led pin, map pin, pinned, \
             pin out, pinout, pinterest, drop pin, pin drop, pin board, pinboard, pin color, pin colour, pin label, \
             bowling pin, lapel pin, analog pin, digital pin, input pin, output pin, data pin, signal pin, \
             clock pin, enable pin, reset pin, interrupt pin, pin mode, pin map, chip select pin, sensor pin, \
             servo pin, button pin, pin header, power pin, ground pin, shopping, shipping, spinning, \
             gpio pin number, pin this, pin post, pin comment",
            "pin nummer, anheften, pinnwand, datenpin, pin belegung, anschlusspin",
            "broche gpio, pin gpio, punaise, épingle",
            "pin digital, pin analógico, pin led",
            "pino gpio, pino",
            "ピン留め, gpioピン, ピン番号, ピンを固定, ピン配置",
            "gpio引脚",
            "пин gpio, номер пина, пина gpio",
        ],
    ),
    (
        Harmless,
        &[
            "secret santa, secret gist, secret menu, top secret, secret level, secret level name, secret ingredient, \
             secretary, secret name, secret scanning, secret store, secret manager, secrets manager, \
             victoria secret, victoria s secret, secret sauce, secret agent, secret garden, secret door, \
             secret room, secret boss, trade secret, trade secrets",
            "berufsgeheimnis, geschäftsgeheimnis, geschäftsgeheimnisse",
            "secret affaires, secret de fabrication, secret professionnel, père noël secret",
            "amigo secreto, secreto comercial, amigo invisible",
            "segredo comercial",
            "シークレットサンタ",
            "商业机密",
            "тайн* санта, коммерческ* тайн*",
        ],
    ),
    (
        Harmless,
        &[
            "card title, card layout, card count, number of cards, card type, card description, card color, \
             card colour, business card, graphics card, sound card, network card, sd card, memory card, \
             sim card number, birthday card, greeting card, gift card message, flash card, flashcard, flashcards, \
             wild card, wildcard, trello card, kanban card, library card number, loyalty card number, \
             membership card number, member card number, id card number, identity card number, student card number, \
             card deck, playing card, credit card type, credit card brand, card brand, card network, card issuer, \
             card holder, cardholder, credit card statement, credit card provider, card id, card style, \
             insurance card number, health card number, credit card offer, green card number, boarding card, \
             report card, post card, postcard, score card, scorecard, credit card expense, credit card fees, \
             credit card rewards, credit card debt, credit card transactions, last digits, last four, last 4, \
             video card, card name, card theme, issue card number",
            "kartentitel, kartenlayout, kartentyp, visitenkarte, grafikkarte, speicherkarte, kundenkartennummer, \
             mitgliedskartennummer, kartenherausgeber, karteninhaber, sim kartennummer, versichertenkartennummer, \
             kreditkarteninhaber, kreditkartentyp, kreditkartenabrechnung, kreditkartenanbieter, karteikarte",
            "carte visite, carte graphique, carte mémoire, numéro carte identité, numéro carte fidélité, \
             numéro carte étudiant, numéro carte vitale, titulaire carte, numéro carte membre, carte sim, \
             numéro carte sim, carte postale, carte menu",
            "tarjeta visita, tarjeta gráfica, tarjeta presentación, número tarjeta fidelidad, tarjeta memoria, \
             número tarjeta sanitaria, titular tarjeta, titular tarjeta crédito, número tarjeta socio, \
             número tarjeta identidad, tarjeta postal, tipo tarjeta crédito, tarjeta regalo",
            "cartão visita, placa vídeo, cartão memória, número cartão fidelidade, titular cartão, \
             número cartão sus, titular cartão crédito, cartão presente, cartão postal, número cartão cidadão, \
             bandeira cartão crédito, número cartão sócio",
            "メンバーカード番号, 会員カード番号, ポイントカード番号, simカード番号, カード名義, \
             クレジットカードの種類, マイナンバーカード番号, 診察券番号, クレジットカード会社, クレジットカード名義, \
             グラフィックカード, 在留カード番号",
            "会员卡号, sim卡号, 显卡, 学生卡号, 社保卡号, 医保卡号, 门禁卡号, 持卡人, 就诊卡号, 物流卡号, 名片, \
             手机卡号, 图书卡号, 借书卡号",
            "номер* карты лояльности, визитн* карт*, номер* карты клиента, видеокарт*, держатель* карты, \
             номер* сим карты, номер* карты памяти, номер* скидочной карты, номер* карты покупателя, \
             тип* кредитной карты, владел* кредитной карты, номер* карты таро, номер* читательской карты, \
             номер* медицинской карты",
        ],
    ),
    (
        Harmless,
        &[
            "1password, otp app, totp app, mfa app, 2fa app, authenticator app, password manager, password managers, \
             password policy, password policies, password less, passwordless, pass threshold, pass rate, \
             pass criteria, number of passes, boarding pass, pass through, passthrough, bypass, passenger, passport, \
             passive, compass, pass fail, pass mark, pass percentage, ski pass, render pass, press pass, \
             pass condition, password reset, password recovery, password strength, password hint, credential type, \
             credential name, credential provider, credential helper, credential id, credentials file, \
             cookie policy, cookie banner, cookie consent, cookie name, cookie recipe, cookie domain, \
             cookie recipes, cookie settings, cookie preferences, fortune cookie, pan number of the camera, \
             frying pan, tilt and pan, pan speed, pan angle, tan color, license key type, product key feature, \
             seed data, random seed, seed count, seed url, seed file, secret phrase of the game, pat down, \
             bearer bond, verification code method, one time payment, one time donation, authorization url, \
             authorization endpoint, authorization server, authorization type, authorization policy, \
             authorization code flow, search phrase, wake phrase, session key name, key of, key to press, \
             key of the setting, api key authentication, password authentication, private key authentication, \
             token authentication, token based authentication, api key auth, password auth, mfa method, \
             recovery email, recovery phone, password spraying, password field, password input, password box, \
             password column, password list, password generator, common passwords, security code review, \
             jwt decoder, csc file",
            "passwortmanager, passwortrichtlinie, passwortlänge, passwortlaenge, passworthinweis, passwortstärke, \
             passwortgenerator, passwortverwaltung, kennwortrichtlinie, kennwortlänge, passwortfeld, passwortregeln, \
             passwortverwalter, kennwortmanager, passwortänderung, passwortrücksetzung, tokengültigkeit, \
             passwortablauf, passwortalter, passwortschutz, passwortsicherheit",
            "gestionnaire mots passe, gestionnaire mot passe, politique mots passe, politique mot passe, \
             mot passe oublié, générateur mots passe, pochette clé",
            "gestor contraseñas, administrador contraseñas, política contraseñas, contraseña olvidada, \
             generador contraseñas",
            "gerenciador senhas, gestor senhas, política senhas, política senha, gerador senhas, recuperação senha, \
             redefinição senha, gestor palavras passe",
            "パスワードマネージャー, パスワードポリシー, パスワードの長さ, パスワードのヒント, パスワード管理, \
             パスワード再設定, パスワード強度, パスワード生成, パスワード認証, apiキー認証",
            "密码管理器, 密码策略, 密码长度, 密码提示, 密码强度, 密码学, 数据密码本, 密码箱, 忘记密码, 密码生成器, \
             密码认证, 密钥对名称, 密钥管理",
            "менеджер* паролей, политик* паролей, длин* пароля, генератор* паролей, хранилищ* паролей",
        ],
    ),
    // A field that is about something else.
    (
        Other,
        &[
            "name, first name, last name, full name, surname, email, e mail, mail, username, user name, user, login, \
             handle, nickname, phone, phone number, mobile, telephone, host, hostname, port, server, url, uri, link, \
             address, path, file, filename, folder, directory, project, repo, repository, branch, region, database, \
             db name, table, column, columns, bucket, label, title, description, comment, note, notes, reason, tag, \
             tags, date, birthday, language, country, city, company, organization, organisation, account id, \
             client id, tenant, domain, environment, env, variable, version, model, amount, quantity, count, limit, \
             number of, priority, status, method, type, mode, strategy, feedback, details, query, topic, subject, \
             action, confirm only, location, scope, scopes, timeout, theme, color, colour, format, algorithm, \
             provider, schedule, id",
            "vorname, nachname, benutzername, benutzer, telefon, telefonnummer, pfad, datei, ordner, zweig, titel, \
             kommentar, anschrift, adresse, geburtsdatum, datum, umgebungsvariable, hinweis, beschreibung, firma, \
             projekt",
            "nom, prénom, adresse, identifiant, utilisateur, téléphone, chemin, fichier, dossier, titre, \
             commentaire, branche, hôte, serveur, date, projet, société, description, courriel",
            "nombre, apellidos, apellido, usuario, correo, teléfono, ruta, archivo, carpeta, título, comentario, \
             rama, servidor, fecha, proyecto, empresa, dirección, descripción",
            "nome, sobrenome, telefone, caminho, arquivo, pasta, ramo, data, projeto, endereço, descrição, \
             utilizador",
            "氏名, 名前, 名, メールアドレス, メール, ユーザー名, ユーザー, 電話番号, 住所, パス, ファイル, タイトル, \
             コメント, ブランチ, ホスト, 場所, 保存先, 日付, 環境変数, 方法, プロジェクト, 会社, 説明",
            "姓名, 名称, 邮箱, 电子邮箱, 邮件, 用户名, 手机号, 手机号码, 电话, 地址, 路径, 文件, 标题, 备注, 分支, \
             主机, 位置, 日期, 环境变量, 方式, 项目, 公司, 描述, 昵称",
            "имя, фамилия, почта, электронная почта, имя пользователя, пользователь, телефон, номер телефона, адрес, \
             путь, файл, заголовок, комментарий, ветка, хост, место, дата, переменная, способ, проект, компания, \
             описание, логин",
        ],
    ),
    // What shows that an ambiguous name means something else.
    (
        Elsewhere(Token),
        &[
            "grammar, lexer, parser, antlr, erc20, erc 20, erc721, smart contract, solidity, tokenizer, \
             language model, bert, text generation, fine tune, end of sequence, end of text, csv, nlp, ticker, \
             airdrop, swap, blockchain, theme, css, figma variables, chunk, chunks, context window, embedding, \
             per minute, list the results, next page, cursor, pagination, board game, search for the token, \
             regular expression, syntax, recipe",
            "grammatik, spielbrett, rezept",
            "grammaire, jeu, casino, recette",
            "gramática, receta",
            "receita",
            "文法, 字句解析",
            "语法, 词法",
            "грамматик*, лексер*, рецепт*",
        ],
    ),
    (
        Elsewhere(ApiKey),
        &["santa, game, gist, story, level, recipe, novel, public"],
    ),
    (
        Elsewhere(Pin),
        &[
            "gpio, arduino, led, sensor, raspberry pi pin, esp32, breadboard, board, microcontroller, circuit, map, \
             marker, version to pin, pin it, dependency, lockfile, delivery address, postal, india, post office, \
             wiring, servo, chip select, connected to, package version, voltage",
            "leiterplatte, karte markieren, platine",
            "carte électronique, broche",
            "placa, protoboard",
            "",
            "基板, センサー",
            "引脚, 开发板, 传感器",
            "плат*, датчик*",
        ],
    ),
    (
        Elsewhere(OneTimeCode),
        &[
            "programming, snippet, function, compile, refactor, source, language, review, format the code, \
             code to format, python, javascript, rust, repository, promo, discount, postal, checkout discount, \
             reservation, airline, booking reference, sun tan, trigonometry",
            "programm, quelltext, rabatt",
            "programme, réduction",
            "programa, descuento",
            "desconto",
            "プログラム, 割引",
            "编程, 程序, 优惠",
            "программ*, скидк*",
        ],
    ),
    (
        Elsewhere(Password),
        &["pass criteria, test plan, tests pass, threshold, ticket, ski, museum, map, music"],
    ),
    (
        Elsewhere(SeedPhrase),
        &["quiz, vocabulary, keyboard, menu accelerator, assembler, opcode, memory aid"],
    ),
];
