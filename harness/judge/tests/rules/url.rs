//! ELICIT-URL.

use crate::table::{holds, holds_with};

const URL: &str = r#"opened | prompt 2 /elicit url | create 5 {"sessionId":"s","mode":"url","message":"m","elicitationId":"e","url":"$"}"#;

#[test]
fn a_url_request_has_its_members() {
    holds(
        "ACP-ELICIT-URL-001",
        "opened",
        r#"
            upheld  both :: + url 5
            upheld  empty texts are texts :: + create 5 {"sessionId":"s","mode":"url","message":"m","elicitationId":"","url":""}
            broken  no elicitationId :: + create 5 {"sessionId":"s","mode":"url","message":"m","url":"https://a.example/"}
            broken  a number :: + create 5 {"sessionId":"s","mode":"url","message":"m","elicitationId":5,"url":"https://a.example/"}
            broken  null :: + create 5 {"sessionId":"s","mode":"url","message":"m","elicitationId":null,"url":"https://a.example/"}
            broken  no url :: + create 5 {"sessionId":"s","mode":"url","message":"m","elicitationId":"e"}
            silent  a form :: + form 5
            silent  another mode :: + create 5 {"sessionId":"s","mode":"_voice","message":"m"}
            "#,
    );
}

#[test]
fn a_url_is_valid_and_absolute() {
    let id = "ACP-ELICIT-URL-003";
    holds_with(
        id,
        URL,
        r"
            upheld  https://a.example/b?c=d#e
            upheld  http://127.0.0.1:8080/
            upheld  https://a.example
            upheld  vscode://a.b/c
            upheld  https://bücher.example/ü?q=ü
            upheld  https://[::1]:8443/
            upheld  https://a.example/a b
            broken  /connect
            broken  connect
            broken  ?a=b
            broken  https://
            broken  https://a.example:99999/
            broken  https://[::1/
            unclear localhost:8080/connect
            silent  [redacted]
            ",
    );
    holds(
        id,
        "opened",
        r#"
            broken  nothing :: + create 5 {"sessionId":"s","mode":"url","message":"m","elicitationId":"e","url":""}
            unclear the prompt handed it over :: + prompt 2 /elicit url /connect | create 5 {"sessionId":"s","mode":"url","message":"m","elicitationId":"e","url":"/connect"}
            upheld  the prompt handed over a good one :: + prompt 2 /elicit url https://a.example/ | create 5 {"sessionId":"s","mode":"url","message":"m","elicitationId":"e","url":"https://a.example/"}
            silent  no text :: + create 5 {"sessionId":"s","mode":"url","message":"m","elicitationId":"e","url":5}
            silent  a form :: + form 5
            "#,
    );
}

#[test]
fn pages_of_others_are_https() {
    holds_with(
        "ACP-ELICIT-URL-005",
        URL,
        r"
            upheld  https://a.example/
            broken  http://auth.example.com/connect
            broken  http://1.1.1.1/
            unclear http://192.168.1.7:8080/
            unclear http://build.local/
            silent  http://127.0.0.1:8080/
            silent  http://localhost/
            silent  http://[::1]:9/
            silent  vscode://a.b/c
            silent  /connect
            ",
    );
}

#[test]
fn a_url_holds_no_credentials() {
    let id = "ACP-ELICIT-URL-006";
    holds_with(
        id,
        URL,
        r"
            upheld  https://a.example/connect
            upheld  https://a.example/authorize?response_type=code&client_id=abc&state=Zk3nQ9xLr2&nonce=n-0S6_WzA2Mj&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256
            upheld  https://a.example/c/pay/cs_a1B2c3D4e5F6g7H8
            upheld  https://a.example/device?user_code=WDJB-MJHT
            broken  https://ada:hunter2@a.example/
            broken  https://:hunter2@a.example/
            unclear https://a.example/?access_token=4f8a0c2e6b1d9753a0b4
            unclear https://a.example/?jwt=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U
            unclear https://ada@a.example/
            ",
    );
    holds(
        id,
        "opened | prompt 2 /elicit url",
        r#"
            broken  a planted one :: + create 5 {"sessionId":"s","mode":"url","message":"m","elicitationId":"e","url":"http://127.0.0.1:1/?k=[redacted]"} | leak-in-url credential raw
            broken  the whole URL is hidden :: + create 5 {"sessionId":"s","mode":"url","message":"m","elicitationId":"e","url":"[redacted]"} | leak-in-url credential in base64
            silent  it stood elsewhere :: + says [redacted] | leak credential raw
            upheld  it was the user's name :: + url 5 | leak-in-url person raw
            unclear the prompt handed it over :: opened | prompt 2 /elicit url https://a:b@a.example/ | create 5 {"sessionId":"s","mode":"url","message":"m","elicitationId":"e","url":"https://a:b@a.example/"}
            "#,
    );
}

#[test]
fn a_url_holds_no_personal_data() {
    let id = "ACP-ELICIT-URL-007";
    holds_with(
        id,
        URL,
        r"
            upheld  https://a.example/connect?client_id=abc
            unclear https://a.example/?email=ada@b.example
            unclear https://a.example/?first_name=Ada
            upheld  https://a.example/?name=my-repository
            ",
    );
    holds(
        id,
        "opened | prompt 2 /elicit url",
        r"
            broken  planted :: + url 5 | leak-in-url person percent-encoded
            silent  in a message :: + says [redacted] | leak person raw
            ",
    );
}

#[test]
fn whoever_opens_a_url_sees_nothing_protected() {
    holds(
        "ACP-ELICIT-URL-008",
        "opened | prompt 2 /elicit url | url 5",
        r#"
            upheld  a page :: + visit 5 | accept 5 | done 2 | settles "f"
            broken  it shows what is protected :: + visit 5 | shown 5 | accept 5 | done 2 | settles "f"
            silent  nobody opened it :: + accept 5 | done 2 | settles "f"
            unclear a signed link, which nobody opened :: opened | create 5 {"sessionId":"s","mode":"url","message":"m","elicitationId":"e","url":"https://b.s3.amazonaws.com/x?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20260101%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"}
            "#,
    );
}

#[test]
fn an_agreement_is_no_visit() {
    holds(
        "ACP-ELICIT-URL-019",
        "opened | prompt 2 /elicit url-wait | url 5",
        r#"
            upheld  it waits :: + accept 5 | settles "f" | visit 5 | says elicited accept | done 2
            broken  it goes on :: + accept 5 | says elicited accept | done 2
            broken  after a while :: + accept 5 | says Thank you!\nelicited accept | done 2 | settles "f"
            upheld  it gives up :: + accept 5 | says elicited cancel | done 2
            silent  visited before :: + visit 5 | accept 5 | says elicited accept | done 2
            silent  visited meanwhile :: + accept 5 | visit 5 | says elicited accept | done 2
            silent  declined :: + decline 5 | says elicited decline | done 2
            silent  cancelled :: + accept 5 | cancelled | stops 2 cancelled
            silent  it does not wait for the visit :: opened | prompt 2 /elicit url | url 5 | accept 5 | says elicited accept | done 2
            silent  a page elsewhere, where it may be over :: opened | prompt 2 /elicit url-wait | create 5 {"sessionId":"s","mode":"url","message":"m","elicitationId":"e","url":"https://a.example/"} | accept 5 | says elicited accept | done 2
            "#,
    );
}

#[test]
fn an_elicitation_id_stands_for_one_open_page() {
    holds(
        "ACP-ELICIT-URL-021",
        "opened | url 5",
        r#"
            broken  twice :: + url 6
            upheld  two :: + create 6 {"sessionId":"s","mode":"url","message":"m","elicitationId":"E","url":"https://a.example/"}
            upheld  again after a decline :: + decline 5 | url 6
            upheld  again after a cancel :: + cancel 5 | url 6
            upheld  again after an error :: + refuse 5 -32602 | url 6
            upheld  again after an accept: perhaps early, and only a remark :: + accept 5 | url 6
            upheld  again after the completion :: + accept 5 | S {"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"e"}} | url 6
            silent  one :: + accept 5
            silent  another connection :: + on 1 | opened | url 6
            "#,
    );
}
