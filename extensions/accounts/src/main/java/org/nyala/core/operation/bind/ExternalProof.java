package org.nyala.core.operation.bind;

import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Objects;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.session.ClientConnection;
import org.nyala.core.session.Operation;

/**
 * EXTERNAL: the identity that the connection itself proves (RFC 4422, appendix A).
 *
 * <p>Confined to one running operation.
 */
final class ExternalProof extends SaslProof {
  private final String authorizationId;

  ExternalProof(OperationContext directory, String authorizationId) {
    super(directory);
    this.authorizationId = authorizationId;
  }

  @Override
  Progress prove(Operation operation, SliceBudget budget) throws LdapOperationException {
    ClientConnection connection = operation.session().connection();
    // The mechanism is offered to connections that prove an identity alone (SaslOffer).
    String external = Objects.requireNonNull(connection.externalName(), "no external identity");
    operation.openTrail().sent(external, authorizationId);
    checkDates(connection);
    MappedName known = mapped;
    if (known == null) {
      known = MappedName.proved(directory, operation, external);
      mapped = known;
    }
    if (!known.find(operation, budget)) {
      return Progress.UNDER_WAY;
    }
    proved = identityOf(known, external);
    return Progress.PROVED;
  }

  /** A session may have been resumed that was begun while the certificate was valid. */
  private static void checkDates(ClientConnection connection) throws LdapOperationException {
    X509Certificate certificate = connection.clientCertificate();
    if (certificate == null) {
      return;
    }
    try {
      certificate.checkValidity();
    } catch (CertificateException _) {
      throw BindOperation.invalidCredentials(RefusalReason.CERTIFICATE_DATES);
    }
  }

  @Override
  String authorizationId() {
    return authorizationId;
  }
}
