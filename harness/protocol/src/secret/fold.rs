//! Letters that look alike become one letter.
//!
//! A person reads `pаsswоrd` with two Cyrillic letters as a password, so the classifier must too. The texts and the
//! words of the tables are folded the same way, so that it does no harm that Russian words lose some letters to Latin
//! ones. Nothing here is complete Unicode; it is what fonts show alike, and what keyboards of the languages that we
//! know produce.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A letter, and all that is read as it. Case is folded before, except for the few pairs whose cases differ in
/// looks.
const ALIKE: &[(char, &str)] = &[
    ('a', "àáâãäåāăąǎảạấầẩẫậắằẳẵặȧǟаӑӓαάɑᴀᶏÅÅꭺᎪ"),
    ('b', "вβʙḃḅƀЬᏴ"),
    ('c', "çćĉċčсϲᴄⅽƈꮯᏟ"),
    ('d', "ďđḍḏḓԁɗᴅⅾðᎠ"),
    ('e', "èéêëēĕėęěẻẽẹếềểễệеёєεέᴇҽℯℰᎬ"),
    ('f', "ƒḟꜰ"),
    ('g', "ĝğġģǧɡցɢġᶃ"),
    ('h', "ĥħḥһнηհʜⱨᎻ"),
    ('i', "ìíîïĩīĭįıǐỉịіїιίϊΐɪⅰᎥ"),
    ('j', "ĵјϳյᴊʝ"),
    ('k', "ķĸкκқᴋⱪᏦ"),
    ('l', "ĺļľŀłḷӏⅼʟɭᏞ"),
    ('m', "мμµᴍⅿṁṃᎷ"),
    ('n', "ñńņňŋǹɴոṅṇՈ"),
    ('o', "òóôõöøōŏőǒỏọốồổỗộớờởỡợоοόσօᴏө"),
    ('p', "рρᴘṗрᏢ"),
    ('q', "ԛգզ"),
    ('r', "ŕŗřɾʀṙṛ"),
    ('s', "śŝşšșѕꜱʂṡṣᏚ"),
    ('t', "ţťŧțтτᴛṫṭᎢ"),
    ('u', "ùúûüũūŭůűųǔủụứừửữựυύսᴜ"),
    ('v', "νѵᴠⅴṽ"),
    ('w', "ŵẁẃẅωώѡԝᴡᎳ"),
    ('x', "хχⅹẋ"),
    ('y', "ýÿŷỳỷỹỵуўγүʏ"),
    ('z', "źżžζᴢẓᏃ"),
    ('и', "й"),
    // Chinese as written in Taiwan and Hong Kong.
    ('码', "碼"),
    ('钥', "鑰"),
    ('权', "權権"),
    ('证', "證証"),
    ('验', "驗験"),
    ('号', "號"),
    ('词', "詞"),
    ('复', "復複"),
    ('认', "認"),
    ('双', "雙"),
    ('动', "動"),
    ('态', "態"),
    ('语', "語"),
    ('个', "個"),
    ('访', "訪"),
    ('问', "問"),
    ('输', "輸"),
    ('请', "請"),
    ('银', "銀"),
    ('备', "備"),
    ('会', "會"),
    ('长', "長"),
    ('链', "鏈"),
    ('应', "應応"),
    ('机', "機"),
    ('种', "種"),
    ('无', "無"),
    ('设', "設"),
    ('记', "記"),
    ('启', "啟啓"),
    ('选', "選"),
    ('读', "讀"),
    ('账', "帳賬"),
    ('户', "戶"),
    ('发', "發"),
    ('过', "過"),
];

/// Greek and Cyrillic capitals that look like other letters than their small forms.
const CAPITALS: &[(char, char)] = &[('Η', 'h'), ('Ν', 'n'), ('Υ', 'y')];

/// Katakana of half width, from U+FF66 on, in the order of the code points.
const HALF_WIDTH: &str = "ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン";

/// Kana with a sound mark, and the same without; the marks themselves are dropped, since they are also written apart.
const VOICED: &str = "ガギグゲゴザジズゼゾダヂヅデドバビブベボパピプペポヴがぎぐげござじずぜぞだぢづでどばびぶべぼぱぴぷぺぽ";
const UNVOICED: &str = "カキクケコサシスセソタチツテトハヒフヘホハヒフヘホウかきくけこさしすせそたちつてとはひふへほはひふへほ";

static TABLE: LazyLock<HashMap<char, char>> = LazyLock::new(|| {
    let alike = ALIKE
        .iter()
        .flat_map(|&(letter, others)| others.chars().map(move |other| (other, letter)));
    let half = (0xFF66..)
        .filter_map(char::from_u32)
        .zip(HALF_WIDTH.chars().map(unvoiced));
    alike.chain(half).collect()
});

fn unvoiced(kana: char) -> char {
    VOICED
        .chars()
        .zip(UNVOICED.chars())
        .find_map(|(voiced, plain)| (voiced == kana).then_some(plain))
        .unwrap_or(kana)
}

/// The letter that this one is read as; nothing for marks that cannot be seen or only adorn a letter.
pub(super) fn fold(letter: char) -> Option<char> {
    if letter.is_ascii() {
        return Some(letter.to_ascii_lowercase());
    }
    if is_mark(letter) {
        return None;
    }
    let letter = compatible(letter);
    let looks = CAPITALS.iter().find(|(capital, _)| *capital == letter);
    if let Some((_, small)) = looks {
        return Some(*small);
    }
    let small = letter.to_lowercase().next().unwrap_or(letter);
    let kana = if matches!(small, '\u{3041}'..='\u{30FF}') {
        unvoiced(small)
    } else {
        small
    };
    Some(TABLE.get(&kana).copied().unwrap_or(kana))
}

/// Combining marks and characters without a width.
fn is_mark(letter: char) -> bool {
    matches!(letter,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E0FFF}'
        | '\u{300}'..='\u{36F}' | '\u{483}'..='\u{489}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}'
        | '\u{20D0}'..='\u{20FF}' | '\u{3099}'..='\u{309C}' | '\u{FF9E}' | '\u{FF9F}')
}

/// Styled forms of ASCII: of full width, mathematical, in circles and squares.
fn compatible(letter: char) -> char {
    let code = u32::from(letter);
    let nth = |first: u32, base: char| char::from_u32(u32::from(base) + code - first);
    let plain = match code {
        0x3000 => Some(' '),
        0xFF01..=0xFF5E => nth(0xFF01, '!'),
        0x249C..=0x24B5 => nth(0x249C, 'a'),
        0x24B6..=0x24CF => nth(0x24B6, 'A'),
        0x24D0..=0x24E9 => nth(0x24D0, 'a'),
        0x1F130..=0x1F149 => nth(0x1F130, 'A'),
        0x1F150..=0x1F169 => nth(0x1F150, 'A'),
        0x1F170..=0x1F189 => nth(0x1F170, 'A'),
        // Thirteen alphabets of 26 capitals and 26 small letters each.
        0x1D400..=0x1D6A3 => match (code - 0x1D400) % 52 {
            capital @ 0..26 => char::from_u32(u32::from('A') + capital),
            small => char::from_u32(u32::from('a') + small - 26),
        },
        0x1D7CE..=0x1D7FF => char::from_u32(u32::from('0') + (code - 0x1D7CE) % 10),
        // Letters that Unicode had before the mathematical alphabets, which have holes in their places.
        0x210E => Some('h'),
        0x212F => Some('e'),
        0x2134 => Some('o'),
        0x210A => Some('g'),
        _ => None,
    };
    plain.unwrap_or(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        text.chars().filter_map(fold).collect()
    }

    #[test]
    fn look_alikes_are_read_as_the_letters_they_look_like() {
        let table = [
            ("Password", "password"),
            ("pаsswоrd", "password"),
            ("РАЅЅWORD", "password"),
            ("ΑΡΙ ΚΕΥ", "api key"),
            ("ＡＰＩ＿ｋｅｙ", "api_key"),
            ("𝐩𝓪𝔰𝕤𝘄𝗼𝓻𝕕", "password"),
            ("ⓟⓐⓢⓢ", "pass"),
            ("p\u{200B}a\u{AD}ss", "pass"),
            ("contraseña", "contrasena"),
            ("contrasen\u{303}a", "contrasena"),
            ("ﾊﾟｽﾜｰﾄﾞ", "ハスワート"),
            ("パスワード", "ハスワート"),
            ("ハ\u{309A}スワート\u{3099}", "ハスワート"),
            ("密碼", "密码"),
        ];
        for (text, plain) in table {
            assert_eq!(folded(text), plain, "{text}");
        }
    }

    #[test]
    fn what_is_folded_stays_as_it_is() {
        for letter in (0..=0x0010_FFFF).filter_map(char::from_u32) {
            if let Some(once) = fold(letter) {
                assert_eq!(fold(once), Some(once), "{letter:?}");
            }
        }
    }
}
