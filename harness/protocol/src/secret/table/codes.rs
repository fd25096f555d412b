//! What seed phrases, codes for one use and the numbers of cards are called.

use super::super::Kind::{CardNumber, Cvv, OneTimeCode, RecoveryCode, SeedPhrase};
use super::{
    Meaning,
    Meaning::Secret,
    Strength::{Bare, Strong, Vague, Weak},
};

/// One line a language, as in the other tables.
pub(in super::super) const CODES: &[(Meaning, &[&str])] = &[
    (
        Secret(SeedPhrase, Strong),
        &[
            "seed phrase, seed phrases, seed words, seed word, recovery phrase, secret recovery phrase, \
             backup phrase, mnemonic phrase, mnemonic seed, wallet mnemonic, wallet seed, bip39 mnemonic, \
             word mnemonic, words mnemonic, recovery words, secret phrase, your mnemonic, wallet phrase, word seed, \
             word phrase, word recovery phrase, restore phrase, recovery seed, of your seed phrase, \
             of your recovery phrase, words seed phrase, words recovery phrase",
            "seedphrase, wiederherstellungsphrase, wiederherstellungswörter, wiederherstellungswörtern, \
             wiederherstellungssatz, seed wörter, mnemonische phrase, sicherungsphrase, merkphrase, \
             geheime wiederherstellungsphrase, wörter wiederherstellungsphrase, wörter seed phrase",
            "phrase récupération, phrase secrète récupération, phrase mnémonique, phrase graine, phrase seed, \
             mots récupération, phrase restauration, phrase secours, phrase sauvegarde, mots phrase récupération, \
             mots phrase secrète récupération",
            "frase semilla, frase recuperación, frase secreta recuperación, frase mnemotécnica, palabras semilla, \
             frase mnemónica, palabras recuperación, frase respaldo, frase secreta, semilla monedero, \
             semilla billetera, semilla cartera, palabras frase semilla, palabras frase recuperación",
            "frase semente, frase recuperação, frase secreta recuperação, palavras semente, palavras recuperação, \
             frase backup, frase seed, semente carteira, palavras seed, palavras frase recuperação, \
             palavras frase semente",
            "シードフレーズ, リカバリーフレーズ, リカバリフレーズ, 復元フレーズ, 回復フレーズ, 復元用フレーズ, \
             シークレットリカバリーフレーズ, ニーモニックフレーズ, ニーモニック, 復旧フレーズ, シードワード, \
             バックアップフレーズ",
            "助记词, 恢复短语, 种子短语, 助记符, 助忆词, 恢复词, 种子词, 私密恢复词, 恢复助记词, 助记短语, 复原短语",
            "сид фраз*, seed фраз*, мнемоническ* фраз*, фраз* восстановления, секретн* фраз*, мнемо фраз*, \
             мнемофраз*, резервн* фраз*, сид слов*, слов* сид фразы, слов* seed фразы, слов* фразы восстановления",
        ],
    ),
    (
        Secret(SeedPhrase, Weak),
        &[
            "mnemonic, your 12 words, your 24 words, 12 words, 24 words, twelve words, twenty four words",
            "12 wörter, 24 wörter",
            "12 mots, 24 mots",
            "12 palabras, 24 palabras",
            "12 palavras, 24 palavras",
            "12個の単語, 24個の単語",
            "12个单词, 24个单词",
            "12 слов, 24 слова, мнемоник*",
        ],
    ),
    (
        Secret(RecoveryCode, Strong),
        &[
            "recovery code, recovery codes, backup code, backup codes, recovery key, recovery keys, scratch code, \
             scratch codes, rescue code, rescue codes, emergency code, emergency codes, account recovery key, \
             emergency kit secret key, restore code, backup verification code, backup login code, \
             single use backup code, bitlocker key, filevault key, recovery token, two factor recovery code, \
             2fa backup code, 2fa recovery code",
            "wiederherstellungscode, wiederherstellungscodes, wiederherstellungsschlüssel, \
             wiederherstellungsschluessel, ersatzcode, ersatzcodes, notfallcode, notfallcodes, sicherungscode, \
             sicherungscodes, rettungscode, sicherungsschlüssel, notfallschlüssel, reservecode, backupcode, \
             backupcodes, wiederherstellungskennung",
            "code récupération, codes récupération, code secours, codes secours, clé récupération, \
             clef récupération, code restauration, clé secours, code sauvegarde, codes sauvegarde, code urgence",
            "código recuperación, códigos recuperación, código respaldo, códigos respaldo, clave recuperación, \
             llave recuperación, código emergencia, códigos emergencia, código reserva, código restauración, \
             códigos seguridad respaldo",
            "código recuperação, códigos recuperação, código backup, códigos backup, códigos reserva, \
             chave recuperação, código restauração",
            "リカバリーコード, リカバリコード, バックアップコード, 回復コード, 復旧コード, 復元コード, 回復キー, \
             復旧キー, リカバリーキー, リカバリキー, 予備コード, 緊急コード, 緊急用コード, 復元キー, \
             バックアップキー",
            "恢复代码, 恢复码, 备用码, 备用代码, 备份代码, 备份码, 恢复密钥, 备用验证码, 救援码, 紧急代码, \
             备用恢复码, 还原码, 复原码, 应急码",
            "код* восстановления, резервн* код*, ключ* восстановления, аварийн* код*, запасн* код*, \
             кодов восстановления",
        ],
    ),
    (
        Secret(OneTimeCode, Strong),
        &[
            "otp, otp code, totp, totp code, one time code, one time codes, one time password, one time passcode, \
             one time pin, one time security code, onetime code, single use code, mfa code, 2fa code, tfa code, \
             two factor code, two factor authentication code, 2 factor code, second factor code, 2fa token, \
             mfa token, two step code, two step verification code, 2 step verification code, 2sv code, \
             authenticator code, authenticator app code, authentication code, verification code, verification codes, \
             sms code, text code, sms otp, email otp, login code, sign in code, signin code, magic code, \
             steam guard code, whatsapp registration code, digit code, digit verification code, digit passcode, \
             digits from your authenticator, six digits, code from your authenticator, code from the authenticator, \
             code from google authenticator, code in your authenticator, code from the sms, \
             code from the text message, code from the text, code from sms, code from the email, \
             code from the e mail, code from your phone, code in the sms, code in the email, code you received, \
             code we sent, code we just sent, code we texted, code we just texted, code we emailed, \
             code that we sent, code that was sent, code which was sent, code sent to, code just sent, \
             code your bank sent, code your bank just sent, sent you a code, texted you a code, emailed you a code, \
             code displayed in your authenticator, code shown in your authenticator, phone verification code, \
             email verification code, transaction authentication number, totp secret, 2fa secret, mfa secret, \
             otp secret, mobile tan, sms tan, device otp, push code, yubikey otp, code that you received, \
             email code, e mail code",
            "einmalcode, einmalcodes, einmalpasswort, einmalkennwort, einmal code, einmal passwort, einmal pin, \
             einmalpin, bestätigungscode, bestaetigungscode, verifizierungscode, verifikationscode, \
             authentifizierungscode, authentisierungscode, smscode, anmeldecode, stelliger code, stelligen code, \
             stellige code, code aus der sms, code aus ihrer, code aus deiner, code aus der authenticator, mtan, \
             smstan, pushtan, push tan, foto tan, chiptan, zwei faktor code, zweifaktorcode, faktor code, \
             code haben wir, code per sms, zugesandten code, zugesandte code, freigabecode, einmaliger code, \
             einmaligen code",
            "code vérification, codes vérification, code usage unique, mot passe usage unique, code unique, \
             code authentification, code validation, code sms, code reçu, code affiché, code envoyé, \
             code six chiffres, code 6 chiffres, code deux facteurs, code double authentification, code otp, otp, \
             code éphémère, code temporaire, code application authentification, mot passe unique, code connexion, \
             code 2fa, code mfa, code que vous avez reçu, code que nous vous avons envoyé, code courriel, \
             code e mail, code mail, code par e mail",
            "código verificación, códigos verificación, código un solo uso, contraseña un solo uso, código único, \
             código autenticación, código sms, código recibido, código que recibiste, código que has recibido, \
             código que te hemos enviado, código que te enviamos, código enviado, código seis dígitos, \
             código 6 dígitos, código dos factores, código doble factor, código aplicación autenticación, \
             clave dinámica, clave un solo uso, contraseña única, código temporal, código validación, código 2fa, \
             código otp, código inicio sesión, código uso único, contraseña uso único, código correo, \
             código correo electrónico, contraseña una sola vez",
            "código verificação, códigos verificação, senha uso único, senha única, código autenticação, \
             código recebido, código que você recebeu, código que enviamos, código dois fatores, \
             código aplicativo autenticador, código autenticador, senha descartável, senha temporária, token sms, \
             código validação, código login, palavra passe única, código temporário, palavra passe uso único, \
             código e mail, código email",
            "ワンタイムパスワード, ワンタイムコード, ワンタイムパスコード, 認証コード, 確認コード, 検証コード, \
             二段階認証コード, 2段階認証コード, 二要素認証コード, 2要素認証コード, smsコード, 桁のコード, \
             桁の認証コード, ログインコード, 認証番号, 使い捨てパスワード, 届いたコード, 送信されたコード, \
             表示されたコード, otp, 桁の確認コード, 承認番号, 多要素認証コード, オーセンティケーターコード, \
             メールコード",
            "验证码, 短信验证码, 动态口令, 动态码, 动态密码, 一次性密码, 一次性验证码, 校验码, 双重验证码, 认证码, \
             两步验证码, 短信码, 手机验证码, 邮箱验证码, 一次性代码, 一次性口令, 位数字代码, 位验证码, 双因素验证码, \
             身份验证码, 确认码, 登录验证码, 二次验证码, 位数字验证码, 验证器应用显示, 临时密码, 双因素代码, 位代码, \
             多因素验证码, 验证代码",
            "одноразов* код*, одноразов* парол*, код* подтверждения, код* из смс, код* из sms, код* из сообщения, \
             код* из приложения, код* из письма, код* из push, проверочн* код*, код* аутентификации, \
             код* двухфакторной аутентификации, код* двухфакторной, код* проверки, шестизначн* код*, \
             код* который мы отправили, код* отправленн*, смс код*, sms код*, код* авторизации, код* входа, \
             код* otp, код* верификации, код* для входа, код* 2fa, код* из аутентификатора",
        ],
    ),
    (
        Secret(OneTimeCode, Weak),
        &[
            "2fa, mfa, tfa, security code, confirmation code, registration code, tan, auth code, authorization code, \
             passcode from, transaction number",
            "sicherheitscode, transaktionsnummer, aktivierungscode",
            "code sécurité, code confirmation",
            "código seguridad, código confirmación",
            "código segurança, código confirmação",
            "セキュリティコード",
            "安全码, 安全代码",
            "код* безопасности, код* активации",
        ],
    ),
    (
        Secret(OneTimeCode, Bare),
        &["code", "", "", "código", "", "コード", "代码", "код, кода"],
    ),
    (
        Secret(CardNumber, Strong),
        &[
            "card number, card numbers, credit card, credit card number, credit card no, creditcard, debit card, \
             debit card number, cc number, cc num, cc no, card no, card num, payment card, payment card number, \
             bank card number, visa number, visa card number, mastercard number, amex number, card pan, \
             card details, credit card details, payment card details, number on your credit card, \
             number on the card, number on your card, number on the front of your card, \
             number on the front of the card, number of the credit card, number of your credit card, \
             number of your card, long number on the front, digit card number, digits of your card, \
             digits of the card, card account number, primary account number",
            "kartennummer, kartennummern, kreditkartennummer, kreditkarten nummer, kreditkarte, kreditkartendaten, \
             debitkartennummer, debitkarte, bankkartennummer, kartendaten, nummer der kreditkarte, \
             nummer ihrer kreditkarte, nummer ihrer karte, nummer der karte, nummer deiner karte, girokartennummer, \
             nummer deiner kreditkarte",
            "numéro carte, numéro carte bancaire, numéro carte crédit, numéro carte bleue, numéro cb, \
             carte bancaire, carte crédit, numéro votre carte, coordonnées bancaires carte, numéro de ta carte, \
             num carte, n carte",
            "número tarjeta, tarjeta crédito, tarjeta débito, número tarjeta crédito, número tarjeta débito, \
             número su tarjeta, datos tarjeta, num tarjeta, numeración tarjeta, número tarjeta bancaria",
            "número cartão, cartão crédito, cartão débito, número cartão crédito, número cartão débito, \
             dados cartão, num cartão, número cartão bancário",
            "カード 番号, クレジットカード 番号, デビットカード 番号, クレジットカード, カードナンバー, クレカ番号",
            "卡号, 信用卡号, 银行卡号, 信用卡号码, 银行卡号码, 借记卡号, 信用卡卡号, 卡片号码, 储蓄卡号, 银行卡卡号",
            "номер* карты, номер* банковской карты, номер* кредитной карты, номер* дебетовой карты, \
             номер* платёжной карты, номер* вашей карты, номер* вашей банковской карты, данн* карты, кредитн* карт*, \
             номер* вашей кредитной карты, номер* пластиковой карты",
        ],
    ),
    (
        Secret(CardNumber, Vague),
        &[
            "pan, iban, bank account number, account and routing number, card to charge",
            "kontonummer",
            "iban, rib, numéro compte bancaire",
            "número cuenta bancaria",
            "número conta bancária",
            "口座番号",
            "银行账号, 银行账户",
            "номер* счёта, iban",
        ],
    ),
    (
        Secret(Cvv, Strong),
        &[
            "cvv, cvv2, cvc, cvc2, cvv code, cvc code, cvn, cvv number, card cvv, card cvc, card security code, \
             card verification value, card verification number, card verification code, security code of the card, \
             security code of your card, security code on the card, security code on the back, \
             security code on your card, digits on the back, digit code on the back, digits on the reverse, \
             digit security code on the back, digits on the signature strip, card code verification, \
             credit card security code",
            "kartenprüfnummer, kartenpruefnummer, kartenprüfziffer, kartenprüfziffern, kartenpruefziffer, \
             kartensicherheitscode, prüfnummer cvv, sicherheitscode der karte, sicherheitscode ihrer karte, \
             sicherheitscode der kreditkarte, ziffern auf der rückseite, prüfziffer der karte, prüfnummer der karte, \
             sicherheitsnummer der karte",
            "cryptogramme, cryptogramme visuel, code cvv, code cvc, code sécurité carte, code sécurité votre carte, \
             chiffres au dos, code de vérification de la carte, trois derniers chiffres au dos, code visuel",
            "código cvv, código cvc, código seguridad tarjeta, código verificación tarjeta, dígitos reverso, \
             dígitos al dorso, cifras reverso, dígitos parte trasera",
            "código segurança cartão, código verificação cartão, dígitos no verso, dígitos atrás do cartão, \
             dígitos verso",
            "カードのセキュリティコード, カードセキュリティコード, カード裏面の3桁, 裏面の3桁, 裏面の数字, \
             カード確認番号, クレジットカードのセキュリティコード",
            "信用卡安全码, 银行卡安全码, cvv码, cvc码, 卡背面的三位, 背面三位, 背面的三位, 背面后三位, 背面末三位, \
             卡片安全码, 卡安全码, 信用卡背面",
            "код* cvv, код* cvc, cvc код*, cvv код*, код* безопасности карты, три цифры на обороте, \
             цифры на обороте, код* проверки карты, три цифры с обратной стороны, цифры на обратной стороне",
        ],
    ),
    (
        Secret(Cvv, Weak),
        &[
            "csc, security code",
            "prüfnummer, prüfziffer, sicherheitscode, prüfziffern",
            "code sécurité",
            "código seguridad",
            "código segurança",
            "セキュリティコード",
            "安全码",
            "код* безопасности",
        ],
    ),
];
