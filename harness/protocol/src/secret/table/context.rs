//! What makes a name plain that can also mean something harmless.

use super::super::Kind::{
    ApiKey, CardNumber, Cvv, OneTimeCode, Password, Pin, PrivateKey, SeedPhrase, Token,
};
use super::{
    Meaning,
    Meaning::{Context, Part, Service},
};

/// One line a language, as in the other tables.
pub(in super::super) const CONTEXT: &[(Meaning, &[&str])] = &[
    // What identifiers are often made of besides.
    (
        Part,
        &[
            "user, admin, root, login, app, client, server, smtp, imap, ftp, ssh, proxy, email, mail, new, old, \
             current, confirm, again, main, test, prod, dev, wallet, master, account, my, db, id, pw, cc",
            "",
            "",
            "",
            "",
            "",
            "",
            "мастер, админ",
        ],
    ),
    // Whose keys and tokens are meant: beside "token" or "key", it makes them plain.
    (
        Service,
        &[
            "github, gitlab, bitbucket, gitea, slack, discord, telegram, npm, pypi, hugging face, huggingface, hf, \
             openai, anthropic, claude, notion, jira, confluence, linear, aws, azure, gcp, cloudflare, vercel, \
             netlify, docker, docker hub, sentry, figma, stripe, twilio, sendgrid, mailgun, datadog, grafana, \
             new relic, algolia, mapbox, google maps, google, gemini, cohere, mistral, groq, deepseek, perplexity, \
             brave search, brave, tavily, exa, serpapi, firecrawl, replicate, elevenlabs, deepl, supabase, firebase, \
             heroku, digitalocean, linode, hetzner, fly io, railway, circleci, travis, jenkins, sonarqube, snyk, \
             codecov, asana, trello, airtable, hubspot, salesforce, zendesk, intercom, shopify, paypal, plaid, \
             dropbox, spotify, twitter, facebook, instagram, linkedin, reddit, youtube, twitch, home assistant, \
             pushover, ngrok, tailscale, terraform cloud, vault, databricks, snowflake, elastic, pinecone, weaviate, \
             qdrant, langsmith, wandb, weights biases, openrouter, together ai, kaggle, gitcode, gitee, dify, \
             azure openai, openweather, openweathermap, artifactory, rubygems, crates io, nuget, posthog, mixpanel, \
             amplitude, auth0, okta, resend, postmark, zapier, make com, todoist, clickup, monday com, webflow, \
             contentful, wordpress, particle, tushare, yandex, vk, mattermost, wechat, dingtalk, feishu, lark, \
             kubernetes, xai, stability ai, voyage, jina",
        ],
    ),
    // What makes an ambiguous name plain.
    (
        Context(Token),
        &[
            "paste token, authenticate, authentication, authenticated, authorize, authorise, log in, login, sign in, \
             signed in, api access, personal access, bearer, oauth, ghp, xoxb, eyj, expires with your account, \
             to the api, connect to the api, profile page, your account, from your browser, browser cookie, \
             li at cookie, from the login, cookie value, your profile, developer settings, developer console, \
             developer portal",
            "anmelden, anmeldung, authentifizierung, authentifizieren",
            "se connecter, connexion, authentification, authentifier",
            "iniciar sesión, autenticar, autenticación",
            "fazer login, autenticação, entrar na conta",
            "ログイン, サインイン, 認証, 認可",
            "登录, 身份验证, 授权",
            "войти, вход, войдите, авторизац*, аутентификац*",
        ],
    ),
    (
        Context(ApiKey),
        &[
            "authenticate, authentication, api access, hmac, webhook, oauth, oauth app, client id, consumer key, \
             sk live, access to the api, developer console, developer portal, developer dashboard",
            "authentifizierung",
            "authentification",
            "autenticación",
            "autenticação",
            "認証",
            "鉴权",
            "аутентификац*",
        ],
    ),
    (
        Context(Password),
        &[
            "log in, login, sign in, password, account, passphrase, authenticate, unlock, user, admin, ftp, ssh",
            "anmelden, anmeldung, passwort, kennwort",
            "connexion, mot passe, se connecter",
            "iniciar sesión, contraseña, acceso, entrar",
            "senha, login",
            "ログイン, パスワード",
            "登录, 密码",
            "вход, войти, парол*",
        ],
    ),
    (
        Context(Pin),
        &[
            "bank, bank card, debit card, credit card, card, sim, unlock, unlocks, door, alarm, payment, pay, \
             transfer, atm, cash, phone, digit, digits, lock, vault, authorise, authorize, approve, security key, \
             your pin, tablet, account, smart card, log in, sign in, vending, safe",
            "karte, girokarte, überweisung, zahlung, entsperren, konto, stellige, stelligen, bezahlen",
            "carte, banque, virement, paiement, déverrouiller, sim, chiffres, payer, compte",
            "tarjeta, banco, transferencia, pagar, pago, desbloquear, dígitos, cuatro dígitos, cuenta",
            "cartão, pagamento, chip, conta",
            "カード, 銀行, 送金, 支払い, 桁, sim, ロック",
            "转账, 付款, 支付, 四位, 六位, 锁",
            "карт*, банк*, перевод*, оплат*, четырёхзначн*, sim, разблокиров*",
        ],
    ),
    (
        Context(OneTimeCode),
        &[
            "sms, text message, texted, sent, just sent, sent to, we sent, emailed, e mailed, authenticator, \
             authenticator app, digit, digits, two factor, two step, 2fa, mfa, multi factor, second factor, \
             google authenticator, authy, verify your, verify that it is you, confirm your sign in, from the e mail, \
             from the email, received by, banking app, bank, transfer, sign in code, log in, sign in, login, phone, \
             whatsapp, one time",
            "gesendet, geschickt, zugeschickt, sechsstellig*, stellig*, handy, überweisung, anmeldung, \
             e mail erhalten, mail geschickt",
            "sms, envoyé, reçu, chiffres, application authentification, téléphone, par mail, banque, \
             authentification",
            "enviado, recibiste, recibido, recibirás, dígitos, aplicación autenticación, móvil, teléfono, banco, \
             verificar",
            "enviamos, recebido, recebeu, aplicativo autenticador, celular, telefone",
            "sms, 届いた, 送信, 桁, 認証アプリ, メールで, ログイン, 携帯",
            "短信, 发送, 位数字, 身份验证器, 手机, 登录",
            "смс, sms, отправ*, пришл*, значн*, аутентификатор*, вход*, телефон*",
        ],
    ),
    (
        Context(Cvv),
        &[
            "card, credit card, back of the card, back of your card, on the back, three digits, 3 digits, checkout",
            "karte, kreditkarte, rückseite, drei ziffern",
            "carte, au dos, trois chiffres",
            "tarjeta, reverso, tres dígitos, al dorso",
            "cartão, verso",
            "カード, 裏面, 3桁",
            "卡, 背面, 三位",
            "карт*, оборот*, три цифры",
        ],
    ),
    (
        Context(SeedPhrase),
        &[
            "wallet, crypto, metamask, ledger, trezor, phantom, bitcoin, ethereum, bip39, in order, hardhat, seed, \
             word mnemonic",
            "",
            "portefeuille",
            "monedero, billetera, cartera",
            "carteira",
            "ウォレット",
            "钱包",
            "кошел*",
        ],
    ),
    (
        Context(PrivateKey),
        &[
            "contents of, content of, paste the contents, paste the whole, base64",
            "inhalt der",
            "contenu",
            "contenido",
            "conteúdo",
            "の内容",
            "的内容",
            "содержимое",
        ],
    ),
    (
        Context(CardNumber),
        &["digits, charge your card, expiry date and cvv, digit"],
    ),
];
