//! What passwords, keys and tokens are called.
//!
//! How a phrase is written and matched is told in the module above. The languages of a list stand in the order
//! English, German, French, Spanish, Portuguese, Japanese, Chinese, Russian; a list that many share comes first.

use super::super::Kind::{ApiKey, Password, Pin, PrivateKey, Token};
use super::{
    Meaning,
    Meaning::Secret,
    Strength::{Bare, Strong, Vague, Weak},
};

/// One line a language.
pub(in super::super) const SECRETS: &[(Meaning, &[&str])] = &[
    (
        Secret(Password, Strong),
        &[
            "password, passwords, pass word, passwd, pass wd, passphrase, passphrases, passcode, pass code, \
             login secret, wifi key, network security key, wpa key, wpa psk, pre shared key, psk, db pass, \
             user pass, admin pass, root pass, smtp pass, mysql pass, login pass, db pwd, user pwd, admin pwd, \
             login pwd, db pw, user pw, admin pw",
            "passwort, passworts, passwoerter, passwörter, passwörtern, kennwort, kennworts, kennwörter, \
             kennwörtern, kennwoerter, passwortes, kennwortes, wlan schlüssel, wlan schluessel, netzwerkschlüssel, \
             netzwerkschluessel, netzwerksicherheitsschlüssel, losungswort, zugangskennwort, administratorkennwort",
            "mot passe, mots passe, mdp, phrase passe, phrase secrète, clé wifi, clef wifi, clé sécurité réseau, \
             clé réseau",
            "contraseña, contraseñas, contrasenya, clave acceso, claves acceso, clave wifi, clave maestra, \
             clave usuario, clave red, frase paso, frase contraseña, clave inicio sesión, clave personal",
            "senha, senhas, palavra passe, palavras passe, palavras passes, frase secreta, frase senha",
            "パスワード, パスフレーズ, 暗号化キー, パスコード, ネットワークキー, ネットワークセキュリティキー",
            "密码, 口令, 密码短语, 授权码, 通行码, 通行短语, 密語",
            "парол*, парольн* фраз*, кодов* фраз*",
        ],
    ),
    (
        Secret(Password, Weak),
        &[
            "pass, pw, pwd, network key, secret word, master key, auth string",
            "",
            "",
            "clave",
            "",
            "合言葉",
            "",
            "кодов* слов*",
        ],
    ),
    (
        Secret(Password, Vague),
        &[
            "credential, credentials, login credentials, security answer, answer to your security question, \
             answer to security question, connection string, database url",
            "zugangsdaten, anmeldedaten, sicherheitsantwort, verbindungszeichenfolge",
            "identifiants, identifiants connexion, identifiants accès, informations identification, \
             chaîne connexion",
            "credenciales, datos acceso, cadena conexión",
            "credenciais, dados acesso, string conexão",
            "認証情報, 資格情報, ログイン情報, 接続文字列",
            "登录凭据, 登录凭证, 凭据, 凭证, 登录信息, 连接字符串",
            "учётн* данн*, данн* для входа, строк* подключения",
        ],
    ),
    (
        Secret(Pin, Strong),
        &[
            "card pin, id pin, eid pin, sim pin, atm pin, bank pin, banking pin, debit card pin, credit card pin, \
             smart card pin, smartcard pin, yubikey pin, user pin, access pin, lock pin, login pin, unlock pin, \
             voicemail pin, parental pin, parental control pin, parental controls pin, alarm pin, security pin, \
             your pin, digit pin, digits pin, account pin, device pin, phone pin, transaction pin, payment pin, \
             pin to unlock, pin that unlocks, personal identification number, puk, puk code, sim puk, door code, \
             gate code, alarm code, unlock code, unlocking code, lock code, code that opens, code to disarm, \
             code to unlock, code to open, keypad code, entry code, lockbox code, screen lock code, phone lock code, \
             pin for your, pin of your, safe code, door lock code, burglar alarm code",
            "geheimzahl, geheimnummer, ihre pin, deine pin, ihrer pin, ihren pin, stellige pin, stelligen pin, \
             girokarten pin, karten pin, onlinebanking pin, türcode, tuercode, türöffnungscode, entsperrcode, \
             entsperr pin, alarmcode, zugangs pin, sperrcode, tresorcode",
            "code pin, code confidentiel, code secret, codes confidentiels, code porte, code entrée, code alarme, \
             code déverrouillage, code puk, code portail, code immeuble, votre pin, digicode",
            "código pin, número secreto, código alarma, código puerta, código desbloqueo, código puk, código portal, \
             tu pin, su pin, pin tarjeta, pin sim, clave cajero, código caja fuerte",
            "código alarme, código porta, código desbloqueio, seu pin, sua pin, teu pin, pin cartão, pin chip, \
             código portão, senha cartão, código cofre",
            "暗証番号, pinコード, 暗証コード, 解錠コード, ロック解除コード, 開錠コード, 暗証ナンバー, pin番号",
            "pin码, 个人识别码, 门禁码, 门禁密码, 门锁密码, 解锁密码, 锁屏密码, 开门密码, puk码, 取款密码, \
             保险箱密码, 防盗密码",
            "пин код*, pin код*, код* домофона, код* двери, код* разблокировки, код* сигнализации, puk код*, \
             пак код*, пук код*, ваш пин, ваш pin, код* сейфа, код* подъезда, код* замка",
        ],
    ),
    (
        Secret(Pin, Weak),
        &[
            "pin, pins, pin code, pin number, access code",
            "zugangscode, zugriffscode",
            "code accès",
            "código acceso",
            "código acesso",
            "アクセスコード, ピン",
            "访问码, 访问代码",
            "пин, пина, пином, код* доступа",
        ],
    ),
    (
        Secret(Pin, Vague),
        &[
            "safe combination, lock combination, combination of the safe",
            "zahlenkombination",
        ],
    ),
    (
        Secret(ApiKey, Strong),
        &[
            "api key, api keys, api secret, api secrets, api secret key, api credential, api credentials, \
             secret key, secret keys, secret api key, secret access key, access key secret, client secret, \
             client secrets, consumer secret, app secret, application secret, oauth secret, webhook secret, \
             webhook signing secret, signing secret, jwt secret, hmac secret, shared secret, session secret, \
             cookie secret, secret key base, secret value, encryption secret, auth secret, bot secret, \
             partner secret, verification secret, subscription key, storage account key, storage key, account key, \
             service role key, authentication key, auth key, encryption key, decryption key, hmac key, \
             access key and secret, channel secret, nextauth secret, integration secret, api password, \
             account secret, your secret, developer key, secret token key, merchant key, api master key, \
             admin api key, signature secret, webhook signature secret, webhook signing key, api app key, \
             api write key",
            "api schlüssel, api schlüssels, api schlüsseln, api schluessel, apischlüssel, apischluessel, \
             geheimer schlüssel, geheimen schlüssel, geheimer schluessel, geheimen schluessel, geheimschlüssel, \
             clientgeheimnis, client geheimnis, clientschlüssel, zugriffsschlüssel, zugangsschlüssel, \
             anwendungsgeheimnis, api geheimnis, verschlüsselungsschlüssel, app geheimnis, abonnementschlüssel, \
             geheimer zugriffsschlüssel, webhook geheimnis, schnittstellenschlüssel",
            "clé api, clés api, clef api, clefs api, clé secrète, clés secrètes, clef secrète, secret client, \
             secret application, clé accès, clef accès, clé accès secrète, secret api, clé chiffrement, \
             clé abonnement, clé authentification, clé accès api, secret webhook, secret partagé",
            "clave api, claves api, llave api, llaves api, clave secreta, claves secretas, llave secreta, \
             secreto cliente, secreto aplicación, secreto api, clave acceso secreta, clave cifrado, \
             secreto compartido, clave suscripción, clave autenticación, llave acceso, clave acceso api",
            "chave api, chaves api, chave secreta, chaves secretas, segredo cliente, segredo aplicativo, \
             segredo aplicação, segredo api, chave acesso, chave acesso secreta, chave criptografia, \
             chave assinatura api, segredo compartilhado, chave autenticação, chave cliente",
            "apiキー, api鍵, apiシークレット, シークレットキー, 秘密キー, シークレットアクセスキー, \
             クライアントシークレット, アプリシークレット, コンシューマーシークレット, 共有シークレット, \
             署名シークレット, アクセスキーシークレット, サブスクリプションキー, チャネルシークレット, 認証キー",
            "api密钥, 私密密钥, api私密密钥, api金钥, api秘钥, 访问密钥, 访问秘钥, 客户端密钥, 客户端机密, 应用密钥, \
             密钥secret, 签名密钥, 加密密钥, 共享密钥, api口令, 接口密钥, 秘密密钥, 订阅密钥, 授权密钥, 用户端密码, \
             应用秘钥",
            "ключ* api, api ключ*, секретн* ключ*, секрет* клиента, секрет* приложения, ключ* доступа, \
             ключ* шифрования, апи ключ*, ключ* апи, секрет* api, секретн* ключ* api, общ* секрет*, ключ* подписки, \
             секрет* вебхука",
        ],
    ),
    (
        Secret(ApiKey, Weak),
        &[
            "secret, secrets, access key, provider key, service key, integration key, application key, app key, \
             admin key, write key, ingest key, server key, client key, workspace key, webhook key",
            "geheimnis, geheimnisse",
            "",
            "secreto",
            "segredo",
            "シークレット, アクセスキー",
            "密钥, 秘钥, 金钥, 机密",
            "секрет, секрета, секретом",
        ],
    ),
    (
        Secret(ApiKey, Vague),
        &[
            "license key, licence key, product key, activation key",
            "lizenzschlüssel",
            "clé licence",
            "clave licencia, clave producto",
            "chave licença",
            "ライセンスキー, プロダクトキー",
            "许可证密钥, 产品密钥",
            "лицензионн* ключ*",
        ],
    ),
    (
        Secret(ApiKey, Bare),
        &[
            "key",
            "schlüssel, schluessel",
            "clé, clef",
            "llave",
            "chave",
            "キー, 鍵",
            "ключ, ключа, ключом",
        ],
    ),
    (
        Secret(Token, Strong),
        &[
            "access token, access tokens, personal access token, personal access tokens, oauth token, oauth2 token, \
             oauth access token, refresh token, refresh tokens, auth token, auth tokens, authentication token, \
             authorization token, authorisation token, bearer token, session token, id token, identity token, \
             security token, api token, api tokens, bot token, deploy token, registry token, integration token, \
             service account token, service token, sas token, vault token, ci token, login token, long lived token, \
             long lived access token, registration token, join token, cluster token, webhook token, app token, \
             application token, private token, secret token, your token, your tokens, publish token, admin token, \
             root token, user access token, page access token, installation token, automation token, project token, \
             web token, json web token, jwt, jwt token, authorization header, authorisation header, auth header, \
             session cookie, session cookies, login cookie, auth cookie, authentication cookie, personal token, \
             github pat, gitlab pat, azure pat, devops pat, csrf session token, your cookie, your cookies, \
             value of the cookie, your bearer, your jwt, credential token, account token, team token, \
             workspace token, developer token, access key token, license token, client access token, database token, \
             classic token, fine grained token, fine grained personal access token",
            "zugriffstoken, zugriffstokens, zugriffs token, zugangstoken, zugangs token, authentifizierungstoken, \
             authentifizierungs token, anmeldetoken, aktualisierungstoken, aktualisierungs token, refreshtoken, \
             sitzungstoken, sitzungs token, sitzungscookie, sitzungs cookie, inhabertoken, autorisierungstoken, \
             persönliches zugriffstoken, ihr token, ihren token, dein token, deinen token, ihres tokens, \
             anmeldecookie, sitzungsschlüssel, sicherheitstoken, ihr cookie, bereitstellungstoken, \
             autorisierungs header, zugriffsschlüssel token",
            "jeton accès, jetons accès, jeton accès personnel, jeton authentification, jeton rafraîchissement, \
             jeton actualisation, jeton session, jeton bot, jeton api, jeton porteur, jeton autorisation, \
             jeton sécurité, jeton identité, votre jeton, ton jeton, votre token, ton token, token accès, \
             token authentification, token rafraîchissement, token session, token bot, token api, cookie session, \
             cookie connexion, cookie authentification, jeton déploiement, jeton connexion, jeton personnel, \
             token personnel",
            "token acceso, tokens acceso, token acceso personal, token autenticación, token autorización, \
             token actualización, token refresco, token renovación, token sesión, token portador, token seguridad, \
             token identidad, tu token, su token, cookie sesión, cookie autenticación, ficha acceso, testigo acceso, \
             token personal, token despliegue, cookie inicio sesión, vuestro token",
            "token acesso, tokens acesso, token acesso pessoal, token autenticação, token autorização, \
             token atualização, token renovação, token sessão, token segurança, token identidade, seu token, \
             teu token, cookie sessão, cookie autenticação, cookie login, token pessoal, token implantação, \
             vosso token",
            "アクセストークン, 認証トークン, 認可トークン, リフレッシュトークン, 更新トークン, ボットトークン, \
             botトークン, セッショントークン, ベアラートークン, bearerトークン, idトークン, apiトークン, \
             セキュリティトークン, セッションクッキー, セッションcookie, ログインクッキー, あなたのトークン, \
             お持ちのトークン, パーソナルアクセストークン, デプロイトークン, oauthトークン, 個人アクセストークン, \
             ログイントークン",
            "访问令牌, 个人访问令牌, 身份验证令牌, 认证令牌, 验证令牌, 授权令牌, 刷新令牌, 更新令牌, 会话令牌, \
             机器人令牌, 持有者令牌, api令牌, 存取权杖, 更新权杖, 会话cookie, 登录cookie, 您的令牌, 你的令牌, \
             登录令牌, 安全令牌, 身份令牌, 部署令牌, bot令牌, 访问token, 您的token, 你的token, 登录token, \
             工作阶段权杖, 机器人token, 鉴权令牌, 存取令牌",
            "токен* доступа, персональн* токен*, токен* авторизации, токен* аутентификации, токен* обновления, \
             токен* сессии, токен* бота, токен* api, api токен*, бот токен*, ваш токен, вашего токена, \
             сессионн* cookie, cookie сессии, cookie авторизации, сессионн* токен*, токен* безопасности, твой токен, \
             сессионн* куки, куки сессии, заголов* авторизации, oauth токен*, личн* токен*, bearer токен*, \
             jwt токен*",
        ],
    ),
    (
        Secret(Token, Weak),
        &[
            "token, bearer, pat, cookie, cookies, authorization, client token, session key, user token, \
             id token hint",
            "tokens zugang",
            "jeton",
            "testigo",
            "",
            "トークン, クッキー",
            "令牌, 权杖, 登录凭条",
            "токен, токена, токену, токеном, куки",
        ],
    ),
    (
        Secret(PrivateKey, Strong),
        &[
            "private key, private keys, privkey, priv key, private ssh key, private signing key, private pem, \
             pem key, pem private key, rsa private key, secret signing key, service account key, \
             service account json, service account credentials, service account json key, id rsa, id ed25519, \
             id ecdsa, nsec, tls key, ssl key, wallet key, wallet private key, p8 key, contents of the pem file, \
             private half, private client key, client private key, keystore contents, gpg secret key, \
             begin private key, age secret key",
            "privater schlüssel, privaten schlüssel, privater schluessel, privaten schluessel, private schlüssel, \
             private schluessel, privatschlüssel, privatschluessel, privater ssh schlüssel, privaten ssh schlüssel, \
             dienstkontoschlüssel, privates schlüsselmaterial, privater pgp schlüssel, privater gpg schlüssel, \
             privater signaturschlüssel, privater wallet schlüssel, privaten wallet schlüssel",
            "clé privée, clés privées, clef privée, clefs privées, clé ssh privée, clef ssh privée, \
             clé compte service, clé pgp privée, clé gpg privée",
            "clave privada, claves privadas, llave privada, llaves privadas, clave ssh privada, llave ssh privada, \
             clave cuenta servicio, clave pgp privada",
            "chave privada, chaves privadas, chave ssh privada, chave conta serviço, chave pgp privada",
            "秘密鍵, プライベートキー, 秘密かぎ, サービスアカウントキー, サービスアカウントの鍵, プライベート鍵, \
             非公開鍵",
            "私钥, 私人密钥, 私有密钥, 专用密钥, 服务账号密钥, 服务帐号密钥, 服务账户密钥, 钱包密钥",
            "приватн* ключ*, закрыт* ключ*, секретн* ключ* ssh, приватн* ssh ключ*, закрыт* ssh ключ*, \
             ключ* сервисного аккаунта",
        ],
    ),
    (
        Secret(PrivateKey, Weak),
        &["certificate key, kubeconfig, keystore, key json"],
    ),
    (Secret(PrivateKey, Bare), &["pem"]),
    (
        Secret(PrivateKey, Vague),
        &[
            "ssh key, rsa key, signing key, deploy key, gpg key, pgp key, key pair",
            "ssh schlüssel, signaturschlüssel",
            "clé ssh, clé signature",
            "clave ssh, clave firma",
            "chave ssh, chave assinatura",
            "ssh鍵, 署名鍵, sshキー",
            "ssh密钥",
            "ssh ключ*, ключ* ssh, ключ* подписи",
        ],
    ),
];
