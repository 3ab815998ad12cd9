package org.nyala.core.operation.bind;

import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.core.session.Operation;

/**
 * EXTERNAL: the identity that the connection itself proves (RFC 4422, appendix A).
 *
 * <p>Confined to one running operation.
 */
final class ExternalProof extends SaslProof {
  private final String authorizationId;

  /** The mechanism is offered to connections that prove an identity alone (SaslOffer). */
  private final String external;

  ExternalProof(OperationContext directory, Operation operation, String authorizationId) {
    super(directory, SaslMechanism.EXTERNAL);
    this.authorizationId = authorizationId;
    this.external =
        Objects.requireNonNull(
            operation.session().connection().externalName(), "no external identity");
  }

  @Override
  MappedName map(Operation operation) throws LdapOperationException {
    operation.openTrail().sent(external, authorizationId);
    X509Certificate certificate = operation.session().connection().clientCertificate();
    try {
      if (certificate != null) {
        // A session may have been resumed that was begun while the certificate was valid.
        certificate.checkValidity();
      }
    } catch (CertificateException _) {
      throw BindOperation.invalidCredentials(RefusalReason.CERTIFICATE_DATES);
    }
    return MappedName.byRules(
        directory, operation, mechanism, rule -> rule.source().names(external, certificate));
  }

  @Override
  @Nullable Outcome prove(Operation operation, SliceBudget budget) throws LdapOperationException {
    return identify(operation, budget, external);
  }

  @Override
  String authorizationId() {
    return authorizationId;
  }
}
