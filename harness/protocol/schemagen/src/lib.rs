//! Makes the committed ACP JSON Schemas from the schema crate, and holds them to it.

use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Value, json};
use agent_client_protocol_schema::{v1, v2};

pub fn raw() -> (Value, Value) {
    let mut g = SchemaGenerator::new(SchemaSettings::draft2020_12());
    g.subschema_for::<v1::ClientRequest>();
    g.subschema_for::<v1::ClientNotification>();
    g.subschema_for::<v1::AgentResponse>();
    g.subschema_for::<v1::AgentRequest>();
    g.subschema_for::<v1::AgentNotification>();
    g.subschema_for::<v1::ClientResponse>();
    g.subschema_for::<v1::CancelRequestNotification>();
    let a = json!(g.take_definitions(true));
    let mut g = SchemaGenerator::new(SchemaSettings::draft2020_12());
    g.subschema_for::<v2::ClientRequest>();
    g.subschema_for::<v2::ClientNotification>();
    g.subschema_for::<v2::AgentResponse>();
    g.subschema_for::<v2::AgentRequest>();
    g.subschema_for::<v2::AgentNotification>();
    g.subschema_for::<v2::ClientResponse>();
    g.subschema_for::<v2::CancelRequestNotification>();
    let b = json!(g.take_definitions(true));
    (a, b)
}
