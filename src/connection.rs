//! What happens to a connection after an answer.

use actix_web::Error;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::ConnectionType;
use actix_web::middleware::Next;

/// Tells a caller that offered to switch protocols that the connection ends with the answer.
///
/// The framework ends it in any case. A caller that isn't told, such as Java's client, which offers HTTP/2 on its
/// own account, keeps the connection for its next request and loses that.
pub async fn decline_upgrade<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    if !request.head().upgrade() {
        return next.call(request).await;
    }
    match next.call(request).await {
        Ok(mut response) => {
            response.response_mut().head_mut().set_connection_type(ConnectionType::Close);
            Ok(response)
        }
        Err(mut error) => {
            error.add_response_mapper(|mut response| {
                response.head_mut().set_connection_type(ConnectionType::Close);
                response
            });
            Err(error)
        }
    }
}
