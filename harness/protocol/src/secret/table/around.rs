//! What stands around a secret's name, and says whether the secret itself is asked for.

use super::{
    Meaning,
    Meaning::{
        Act, Ask, AskIt, Asked, Aspect, Content, Filler, For, Function, Generic, Not, Question,
        Relative, Tail, Verb,
    },
};

/// One line a language, as in the other table.
pub(in super::super) const AROUND: &[(Meaning, &[&str])] = &[
    // What can be said about a secret: after its name ("token URL"), or before it with a preposition ("name of the
    // key").
    (
        Aspect,
        &[
            "name, names, label, labels, title, titles, id, ids, identifier, alias, url, urls, uri, endpoint, \
             endpoints, path, paths, file, files, filename, directory, folder, location, locations, column, columns, \
             selector, placeholder, hint, hints, policy, policies, manager, length, size, strength, complexity, \
             expiry, expiration, expires, lifetime, ttl, duration, validity, rotation, reset, age, history, count, \
             limit, limits, budget, usage, cost, costs, price, type, types, kind, format, formats, algorithm, \
             hashing, hash, hashes, encoding, scheme, issuer, audience, scope, scopes, permission, permissions, \
             rights, claim, claims, header name, header, headers, prefix, suffix, env, environment, variable, var, \
             provider, providers, source, storage, backend, reference, ref, arn, status, exists, expired, \
             expires after, visible, visibility, attempts, retries, threshold, rule, rules, requirement, \
             requirements, generator, screen, page, link, description, comment, notes, template, pattern, regex, \
             validator, validation, level, category, symbol, address, supply, amount, decimals, contract, standard, \
             metadata, version, owner, fingerprint, digest, checksum, per, window, method, methods, mode, flow, \
             security, protection, schedule, period, interval, refresh interval, renewal, days, minutes, seconds, \
             hours, leak, leaks, incident, best practices, dialog, encryption, library, owner of, selector for, \
             number of characters, digits, characters, charset, creation date, date, domain, samesite",
            "namen, bezeichnung, titel, typ, art, länge, mindestlänge, richtlinie, richtlinien, hinweis, pfad, \
             datei, ordner, ablauf, ablaufdatum, gültigkeit, gültigkeitsdauer, laufzeit, anzahl, kosten, regel, \
             regeln, stärke, verwaltung, erneuerung, algorithmus, feld, spalte, umgebungsvariable, fingerabdruck, \
             anbieter, aussteller, berechtigungen, speicherort, präfix, adresse, alter, beschreibung, inhaber, \
             besitzer, verschlüsselung, speicherung, liste, bibliothek, empfänger, verzeichnis, richtlinie für, \
             verlauf, ausblenden, einblenden, vergessen, zurücksetzen, löschen, senden, generieren, einrichten, \
             rotieren, widerrufen, bestätigung stimmt",
            "nom, noms, libellé, intitulé, type, longueur, politique, indice, chemin, fichier, dossier, expiration, \
             durée, durée de vie, validité, nombre, limite, coût, règle, règles, gestionnaire, empreinte, variable, \
             préfixe, fournisseur, émetteur, portée, portées, emplacement, champ, colonne, titulaire, chiffrement, \
             liste, destinataire, description, titre, date",
            "nombres, etiqueta, título, tipo, longitud, política, pista, ruta, archivo, fichero, carpeta, caducidad, \
             expiración, vencimiento, duración, validez, coste, costo, regla, reglas, gestor, huella, prefijo, \
             proveedor, emisor, ámbito, ámbitos, permisos, ubicación, campo, columna, titular, cifrado, lista, \
             destinatario, descripción, identificador, fecha",
            "nome, nomes, rótulo, tamanho, comprimento, dica, caminho, arquivo, ficheiro, pasta, validade, \
             expiração, vencimento, duração, custo, regra, regras, gerenciador, impressão digital, variável, \
             prefixo, provedor, emissor, escopo, escopos, permissões, local, localização, coluna, criptografia, \
             descrição, data",
            "名, 名前, 名称, 上限, 予算, 長さ, ポリシー, マネージャー, ヒント, パス, ファイル, 場所, 有効期限, 期限, \
             スコープ, 種類, タイプ, 形式, 管理, 再設定, リセット, 更新間隔, 一覧, 履歴, 文字数, 強度, に関する, \
             について, 欄, 列, url, id, フィンガープリント, 指紋, ヘッダー, 変数, 生成, 入力欄, ラベル, 用途, 説明, \
             権限, 発行者, 発行元, 保存先, 保管場所, 保存場所, 有効期間, 数量, 使用量, 提供元, アルゴリズム, 接頭辞, \
             ルール, 要件, 失効日",
            "名字, 长度, 策略, 管理器, 提示, 路径, 文件, 位置, 有效期, 范围, 预算, 类型, 格式, 过期, 强度, 重置, \
             历史, 字段, 地址, 变量, 指纹, 标签, 编号, 用量, 规则, 标题, 说明, 描述, 前缀, 提供商, 存放, 保存位置, \
             存储位置, 目录, 算法, 有效时间, 时长, 轮换, 签发者, 备注, 过期时间, 保存路径",
            "имя, имени, названи*, длин*, срок*, срок* действия, путь, пути, файл*, тип*, формат*, количество, \
             число, лимит*, политик*, подсказк*, отпечат*, прав*, област*, переменн*, префикс*, владел*, алгоритм*, \
             мест*, описани*, издател*, хранилищ*, правил*, сложност*, стоимост*, метк*, поле, поля, столбец, \
             столбц*, использовать, истори*, идентификатор*, сброс*, шифровани*, хеширован*, хранени*, список, \
             списк*, получател*, жизни, заголовок, дата, даты",
        ],
    ),
    // What one does with a secret that one does not ask for.
    (
        Act,
        &[
            "reset, forgot, forgotten, rotate, revoke, delete, remove, has, have, use, uses, using, require, \
             requires, show, hide, remember, enable, disable, allow, skip, leaked, exposed, hardcoded, regenerate, \
             renew, which, max, maximum, min, minimum, num, number of, total, amount of, needs, no, without, mask, \
             redact, invalidate, expire, uses a, sort by, group by, lost, stolen, invalid, wrong, incorrect, fake, \
             dummy, mock, bogus, obtain, fetch, resend",
            "zurücksetzen, vergessen, welcher, welchen, welches, welche, erneuern, widerrufen, löschen, anzeigen, \
             merken, anzahl der, maximale, verwenden, hat, kein, keine, ohne, ungültiges, ungültiger, ungültige, \
             falsches, falscher, einrichten",
            "réinitialiser, oublié, quel, quelle, renouveler, révoquer, supprimer, afficher, masquer, mémoriser, \
             nombre, utiliser, aucun, aucune, faire tourner, configurer, générer, activer, envoyer, récupérer",
            "restablecer, olvidé, cuál, qué, rotar, revocar, eliminar, borrar, mostrar, ocultar, recordar, máximo, \
             usar, ninguna, renovar, configurar, generar, enviar, activar, obtener, olvidado",
            "redefinir, esqueci, qual, rotacionar, revogar, excluir, apagar, lembrar, nenhuma, girar, gerar, ativar, \
             obter, ler, esconder, esqueceu",
            "どの, 最大, 公開, 無効な",
            "是否, 哪个, 哪一个, 使用哪个, 重置, 轮换, 忘记, 查看, 显示, 记住, 删除, 吊销, 撤销, 隐藏, 启用, 隱藏, \
             顯示, 使用, 生成, 获取, 取得, 读取, 获得, 找不到, 未找到, 无效的, 未收到, 没有收到, 没收到, 重新发送, \
             错误的, 配置, 多少个, 多少, 几个, 假的, 示例, 模拟, 旧的, 修改, 更新, 更改, 禁用, 变更, 移除",
            "сбросить, забыли, какой, какие, обновить, отозвать, удалить, показать, скрыть, запомнить, максимум, \
             лимит, бюджет, количество, использовать, неверный, неправильный, получить, смена, смены, изменение, \
             чтение",
        ],
    ),
    // How one asks.
    (
        Ask,
        &[
            "let me know, write down, write, asks for your, wants your, wants the, what password, which password, \
             what passphrase, which passphrase, what pin, which pin, which code, what code, can you, could you, \
             would you, will you, enter, enter the, type, type in, paste, provide, supply, input, give, give me, \
             tell me, share, send, send me, submit, copy, fill in, insert, specify, i need, we need, need your, \
             needs your, please confirm, confirm, verify, what is, what s, what is your, whats, set, choose, pick a, \
             create a, repeat, retype, re enter, reenter, copy the, hand over, put, put in, scan, say, state, \
             requires, require, add your, add a, set your, may i have, can i have, could you give, can you give, \
             could you provide, can you provide, could you share, unlock with, log in with, sign in with, \
             authenticate with, authorize with, approve with, reveal",
            "welches passwort, welches kennwort, welche pin, welcher code, welchen code, können sie, kannst du, \
             könnten sie, könntest du, geben, gib, eingeben, bitte, fügen, füge, einfügen, wie lautet, lautet, \
             nennen, nenne, tragen, trage, brauche, benötige, benötigen, senden, teilen, wiederholen, wiederhole, \
             bestätigen, wählen, wähle, festlegen, kopieren, kopiere, hinterlegen, verrate, schicken, schicke, \
             mitteilen",
            "il me faut, donner, communiquer, transmettre, envoyer, copier, taper, préciser, renseigner, \
             il nous faut, quel mot passe, quel code, pouvez vous, peux tu, pourriez vous, saisir, saisissez, \
             saisis, entrez, entrer, entre, collez, coller, colle, fournir, fournissez, indiquez, indiquer, tapez, \
             quel est, quelle est, donnez, donne, donnez moi, communiquez, confirmez, confirmer, renseignez, \
             choisissez, créez, répétez, copiez, envoyez, transmettez, besoin de, besoin du, besoin d, partagez, \
             précisez, composez, saisie, confirmation, répétition",
            "me hace falta, indicar, dar, darme, proporcionar, confirmar, copiar, enviar, hace falta, \
             qué contraseña, qué código, qué pin, puedes, puede, podrías, podría, introduce, introduzca, introducir, \
             ingresa, ingrese, ingresar, escribe, escriba, escribir, pega, pegue, pegar, proporciona, proporcione, \
             indica, indique, facilita, facilite, cuál es, dime, dame, confirma, confirme, elige, elija, crea, \
             repite, repita, copia, copie, necesito, envía, envíe, teclea, comparte, comparta, introduzcas, \
             confirmación, digita, digite, coloca",
            "me diga, fornecer, dizer, passar, que senha, qual senha, qual código, pode, poderia, digitar, insira, \
             insere, inserir, informe, informa, informar, cole, cola, colar, forneça, fornece, escreva, escreve, \
             qual é, diga, preciso de, preciso da, preciso do, escolha, crie, preciso, introduza, coloque, \
             compartilhe, confirmação, preencha, passe me",
            "",
            "请输入, 输入, 请提供, 提供, 请填写, 填写, 请粘贴, 粘贴, 请告诉, 告诉我, 请确认, 确认, 请设置, 设置, \
             请再次输入, 请键入, 键入, 请发送, 把您的, 请出示, 需要您的, 需要你的, 请复制, 复制, 请贴上, 請貼上, \
             內容, 请给我, 请分享, 告知",
            "введите, ввести, вставьте, вставить, укажите, указать, скопируйте, предоставьте, сообщите, назовите, \
             какой, какой у, подскажите, скажите, напишите, подтвердите, повторите, придумайте, задайте, пришлите, \
             отправьте, нужен, нужна, нужно, дайте, дай, введи, вставь, укажи, наберите, передайте, поделитесь, \
             требуется, создайте, выберите",
        ],
    ),
    (
        AskIt,
        &[
            "paste here, enter here, type here, enter below, paste below, type below, enter it, paste it, type it, \
             provide it, provide one, enter one, paste one, give it, send it, enter them, paste them, share it, \
             add it",
            "hier einfügen, hier eingeben, unten eingeben, unten einfügen, geben sie ihn, geben sie sie, \
             geben sie es, gib ihn, fügen sie ihn, hier ein",
            "collez ici, saisissez ici, entrez ici, saisissez la, saisissez le, collez la, collez le, entrez la, \
             entrez le, indiquez la, indiquez le",
            "escríbelo aquí, escríbela aquí, indícalo aquí, pega aquí, pégala aquí, introduce aquí, escribe aquí, \
             introdúcela, introdúzcala, pégala, péguela, pégalo, introdúcelo, escríbela, indícala",
            "cole aqui, digite aqui, escreva aqui, informe aqui, cole a aqui, informe a, digite a, cole o aqui, \
             insira a",
            "ここに入力, ここに貼り付け, 以下に入力, 下に入力",
            "在此输入, 在下面输入, 在下方输入, 粘贴到这里, 粘贴在这里",
            "вставьте его, введите его, укажите его, пришлите его",
        ],
    ),
    // How one asks after the secret was named.
    (
        Asked,
        &[
            "is required, is needed, required, needed, please, to continue, to proceed",
            "eingeben, eintragen, einfügen, angeben, nennen, wird benötigt, erforderlich, mitteilen, bestätigen, \
             wiederholen, festlegen, bitte, hier eingeben, verraten, einsetzen, wählen, hinterlegen",
            "requis, requise, est requis, est requise, nécessaire, svp, s il vous plaît",
            "requerida, requerido, necesaria, necesario, es necesaria, es necesario, por favor",
            "necessária, necessário, obrigatória, é necessária, é necessário",
            "を入力, をご入力, を貼り付け, を貼って, を教えて, をお知らせ, は何です, を提供, を指定して, を設定して, \
             を確認してくだ, を送って, を以下に, をここに, を下に, をこちらに, が必要です, をコピー, をお教え, \
             を記入, をペースト, を入れて, 入力, を共有, をもう一度入力, を再入力, をお伝え, を登録してくだ, \
             をお願いします, をお送り, を作成してくだ, を決めて, を選んで, を選択して",
            "是什么, 是多少, 发给我, 告诉我, 粘贴到, 填写在, 输入到, 贴到, 提供给我",
            "обязателен, нужен, требуется, необходим",
        ],
    ),
    // What leads from a thing to what is in it.
    (
        Content,
        &[
            "contents of, content of, value of, value for, text of, copy of, list of, one of the",
            "inhalt der, inhalt des, inhalt von, wert des, wert der, wert von",
            "contenu de, contenu du, valeur de, valeur du",
            "contenido de, contenido del, valor de, valor del",
            "conteúdo de, conteúdo da, conteúdo do, valor do, valor da",
            "",
            "",
            "содержимое, значение",
        ],
    ),
    // What makes a verb that asks a part of something else: "the header in which clients send their key".
    (
        Relative,
        &[
            "which, that, where, who, whose, how, whether, why, when",
            "wie, ob, dass, welche*, wo, warum",
            "comment, où, qui, dont",
            "cómo, dónde",
            "onde",
            "",
            "会, 用户在, 用户会, 用户输入, 让用户, 浏览器, 系统",
            "как, где, которы*, почему",
        ],
    ),
    // What turns a request into a warning.
    (
        Not,
        &[
            "never, do not, don t, dont, not, no need, no password, no passwords, no token, no secrets, no api key, \
             without, cannot, must not, should not, instead of, rather than, unless, won t, will not, except, avoid, \
             other than",
            "nicht, nie, niemals, kein, keine, keinen, ohne, keinesfalls, statt, außer, ausser",
            "jamais, ne, n, pas, sans, aucun, aucune, au lieu",
            "nunca, no escribas, no escriba, no introduzcas, no introduzca, no incluyas, no incluya, no pongas, \
             no ponga, no indiques, no uses, no compartas, no se, no es, no hace falta, no pegues, no pegue, \
             no envíes, no envíe, sin, jamás, ningún, ninguna, en lugar",
            "não, sem, nenhum, nenhuma, em vez",
            "",
            "请勿, 不要, 切勿, 无需, 不得, 不需要, 勿, 別, 请不要, 不会, 绝不, 禁止, 不必, 没有, 没, 未, 不可, 不能",
            "не, никогда, без, нельзя, ни, вместо",
        ],
    ),
    // How a question begins.
    (
        Question,
        &[
            "which, how, where, when, why, who, what, should, shall, do, does, did, is, are, can, could, will, \
             would, may, has, have, am, was, were, whose",
            "welche*, wie, wo, wann, warum, wer, soll, sollen, sollte, möchten, möchtest, wollen, haben, hat, ist, \
             sind, darf, kann, können, womit, wofür",
            "quel, quelle, quels, quelles, comment, où, quand, pourquoi, qui, faut il, voulez, souhaitez, avez, \
             est ce, dois je, puis je, combien",
            "qué, cuál, cómo, dónde, cuándo, quién, quieres, quiere, desea, deseas, debo, tienes, cuánto, cuánta, \
             cuántos, cuántas",
            "qual, onde, quando, quem, deseja, quer, devo, você tem, você quer, quanto, quanta, quantos, quantas, \
             posso",
            "どの, どこ, 誰, どれ, どう, いつ, なぜ, どんな",
            "是否, 哪, 如何, 怎么, 怎样, 谁, 为什么, 什么, 您想, 你想, 要不要, 能否, 可否",
            "как, какой, какая, какие, каким, какую, где, когда, зачем, почему, кто, хотите, нужно ли, есть ли, \
             можно ли, стоит ли, куда, сколько",
        ],
    ),
    // Words that end what a label or a request names.
    (
        Function,
        &[
            "what, per, of, for, to, that, which, where, when, if, in, on, with, from, by, into, about, as, at, \
             after, before, because, so, used, contains, contain, holds, hold, stored, who, whose, while, until, \
             since, than, behind, like, via, through, during, against, under, including, removed, found, saved, \
             stores, keeps, carries, lets, instead, reads, such, then, whether, how, was, were, has, had, have, \
             expired, changed, but, will, can, is, are, am",
            "für, zum, zur, zu, mit, im, aus, auf, über, dass, wenn, wo, von, vom, bei, nach, um, damit, steht, \
             stehen, ob, durch, gegen, unter, vor, welche*, weil, nutzt, nutzen, enthält, wird, wurde, ist, sind, \
             gespeichert, habe, zurück*, wie, heißen, heissen, erscheint",
            "pour, avec, dans, sur, par, qui, que, dont, où, sans, en, lors, afin, est, sont, contient, quand, si, \
             de, du, d, des, chez, vers, depuis, après, avant, stocké, comment",
            "para, con, por, sobre, donde, sin, cuando, del, es, contiene, desde, hasta, tras, según, ante, cómo, \
             debe",
            "com, em, no, na, nos, nas, onde, sem, quando, se, do, da, dos, das, contém, até, após, antes, deve",
            "",
            "用于, 关于, 存放, 保存, 识别, 包含, 是, 如果, 因为, 所以, 已, 了, 发现, 找到, 里有, 中有, 有一个, \
             有两个, 含有",
            "для, в, на, с, из, о, об, по, которы*, где, чтобы, при, от, если, когда, через, после, за, у, над, под, \
             хранится, лежит, содержит, как, менеджер*",
        ],
    ),
    (
        For,
        &[
            "for, of, on, to",
            "für, von, zu",
            "pour, de, du",
            "para, del",
            "da, do",
            "",
            "",
            "для, от, к",
        ],
    ),
    // Words after which a name is what a sentence is about, not a label.
    (
        Verb,
        &[
            "is, was, were, are, has, have, had, must, cannot, does, did, will, can, should, may, could, would, \
             expired, changed, leaked, expires, works, gives, lets, grants, never",
            "ist, wurde, wurden, muss, müssen, sind, hat, haben, darf, soll, wird, werden, kann, steht, entspricht",
            "est, a été, doit, doivent, sont, ont, sera, peut, n est, ne, correspond, permet",
            "es, está, ha, han, debe, deben, no, se ha, se, fue, puede, permite",
            "é, foi, deve, devem, não, são, pode",
            "",
            "已, 不, 必须, 应, 会, 是否",
            "был, была, обновлён, успешно, должен, не, истёк, изменён, сохранён, может",
        ],
    ),
    // Words that leave a label what it is.
    (
        Filler,
        &[
            "new, old, current, existing, your, my, our, the, a, an, enter, confirm, repeat, again, please, now, \
             below, manually, twice, only, too, also, you, we, i, it, they, temporary, initial, default, valid, \
             optional, first, second, one of, one, here, or, and",
            "neues, altes, aktuelles, bisheriges, ihr, ihre, ihren, dein, deine, deinen, das, den, die, der, bitte, \
             und, oder, ein, sie, wir, ich, hier, einer der, einer ihrer",
            "nouveau, nouvelle, ancien, actuel, son, sa, ses, votre, vos, le, la, les, l, confirmation du, \
             confirmation de, répétition du, saisie du, et, ou, l un de, l un des, un de vos",
            "nueva, nuevo, actual, antigua, tu, su, el, los, las, confirmación de, y, o, uno de, una de",
            "nova, novo, atual, antiga, sua, seu, a, as, os, confirmação de, confirmação da, e, um dos, uma das",
            "",
            "",
            "новый, старый, текущий, ваш, ваша, свой, и, или, один из, одну из, у вас, у тебя, вам, вас, мне, нам, \
             сюда, здесь, ниже",
        ],
    ),
    // What may stand after a secret in Japanese and Chinese, where its name would else have to be the last word.
    (
        Tail,
        &[
            "です, 必須, 任意, 確認用, の確認, 再入力, 例, 一つ, のうち, の内容, の値, の数字, 以上",
            "必填, 可选, 用于, 之一, 的值, 的内容, 内容, 以, 来, 可在, 并, 或, 和, 请, 中的",
        ],
    ),
    // A field that could hold anything.
    (
        Generic,
        &[
            "value, input, answer, response, reply, text, field, data, content, entry, result, user input, \
             your answer, string, message, prompt, question, param, parameter, arg, argument, item, your response, \
             your reply, requested value, provided value, credential value, free text, payload, line, q, a, v, x",
            "wert, antwort, eingabe, feld, inhalt, angabe, ihre antwort, ihre eingabe",
            "valeur, réponse, saisie, champ, entrée, texte, contenu, votre réponse",
            "valor, respuesta, entrada, campo, dato, texto, contenido, tu respuesta",
            "resposta, dado, conteúdo, sua resposta",
            "値, 回答, 入力, 項目, 返答, 内容, 答え, フィールド, テキスト",
            "值, 输入, 字段, 答案, 回复, 输入内容, 文本",
            "значение, ответ, ввод, поле, текст, данные, ваш ответ",
        ],
    ),
];

/// Words that may stand between the words of a phrase without changing it.
pub(in super::super) const GLUE: &[&str] = &[
    "of the your my our a an s",
    "der den das die des dem ihr ihre ihrer ihren ihres dein deine deiner deinen",
    "de du d des le la les l un une votre vos ton ta à",
    "del el los las tu su tus sus una al",
    "do da dos das o os as um uma seu sua e",
    "の 的 您 你",
    "от к ко ваш вашей вашего вашему вашу ваши для",
];

/// How Russian adjectives end: they stand before a noun and leave it what it is.
pub(in super::super) const ADJECTIVES: &str = "ый ий ой ая яя ое ее ые ие ого его ую юю ым им";
