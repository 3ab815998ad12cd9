package org.nyala.core.operation.bind;

import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Objects;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.operation.extended.AuthorizationIds;
import org.nyala.core.session.ClientConnection;
import org.nyala.core.session.Operation;

/**
 * EXTERNAL: the identity that the connection itself proves (RFC 4422, appendix A). Without a rule
 * that maps it to an entry, its own name is the identity.
 *
 * <p>Confined to one running operation.
 */
final class ExternalProof extends BasicProof {
  private final String authorizationId;

  ExternalProof(OperationContext directory, String authorizationId) {
    super(directory);
    this.authorizationId = authorizationId;
  }

  @Override
  public Progress prove(Operation operation, SliceBudget budget) throws LdapOperationException {
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
    proved = identity(known, connection, external);
    return Progress.PROVED;
  }

  private BoundIdentity identity(MappedName known, ClientConnection connection, String external)
      throws LdapOperationException {
    Dn name = known.name();
    if (name == null && !known.isByRule()) {
      return itself(connection, external);
    }
    if (name == null || known.isRootByChance()) {
      throw BindOperation.invalidCredentials(known.failure());
    }
    return AuthorizationIds.of(directory, name);
  }

  /** Returns the identity of the name itself: for a certificate, there has to be such an entry. */
  private BoundIdentity itself(ClientConnection connection, String external)
      throws LdapOperationException {
    Dn name;
    try {
      name = directory.scratch().names.parse(external);
    } catch (LdapOperationException _) {
      throw BindOperation.invalidCredentials(RefusalReason.UNKNOWN_NAME);
    }
    boolean isCertificate = connection.clientCertificate() != null;
    if (AuthorizationIds.of(directory, name).isRootAccount()) {
      throw BindOperation.invalidCredentials(RefusalReason.MAPPED_TO_ROOT);
    }
    if (isCertificate && !exists(name)) {
      throw BindOperation.invalidCredentials(RefusalReason.UNKNOWN_NAME);
    }
    return new BoundIdentity(name, false);
  }

  private boolean exists(Dn name) {
    Backend backend = directory.contexts().backendOf(name);
    if (backend == null) {
      return false;
    }
    try (ReadTransaction transaction = backend.beginRead()) {
      return transaction.find(name) != ReadTransaction.NO_ENTRY;
    }
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
  public String authorizationId() {
    return authorizationId;
  }
}
