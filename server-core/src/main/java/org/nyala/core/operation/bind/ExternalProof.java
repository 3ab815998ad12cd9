package org.nyala.core.operation.bind;

import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.core.session.Operation;

/**
 * EXTERNAL: the identity that the connection itself proves (RFC 4422, appendix A). Without a rule
 * that maps it to an entry, its own name is the identity.
 *
 * <p>Confined to one running operation.
 */
final class ExternalProof implements SaslProof {
  private final OperationContext directory;
  private final String authorizationId;
  private @Nullable MappedName mapped;
  private @Nullable BoundIdentity identity;

  ExternalProof(OperationContext directory, String authorizationId) {
    this.directory = directory;
    this.authorizationId = authorizationId;
  }

  @Override
  public Progress prove(Operation operation, SliceBudget budget) throws LdapOperationException {
    String external = operation.session().connection().externalName();
    if (external == null) {
      throw BindOperation.invalidCredentials();
    }
    MappedName known = mapped;
    if (known == null) {
      known = MappedName.byRules(directory, operation, SaslMechanism.EXTERNAL, external);
      mapped = known;
    }
    if (!known.find(operation, budget)) {
      return Progress.UNDER_WAY;
    }
    identity = identity(known, external);
    return Progress.PROVED;
  }

  private BoundIdentity identity(MappedName known, String external) throws LdapOperationException {
    Dn name = known.name();
    if (name == null && !known.isByRule()) {
      return new BoundIdentity(directory.scratch().names.parse(external), false);
    }
    if (name == null || known.isRootByChance()) {
      throw BindOperation.invalidCredentials();
    }
    Dn target = name;
    boolean isRoot = directory.root().map(root -> root.dn().equals(target)).orElse(false);
    return new BoundIdentity(target, isRoot);
  }

  @Override
  public BoundIdentity identity() {
    BoundIdentity known = identity;
    if (known == null) {
      throw new IllegalStateException("not proved");
    }
    return known;
  }

  @Override
  public String authorizationId() {
    return authorizationId;
  }

  @Override
  public byte @Nullable [] answer() {
    return null;
  }

  @Override
  public void close() {
    if (mapped != null) {
      mapped.close();
    }
  }
}
