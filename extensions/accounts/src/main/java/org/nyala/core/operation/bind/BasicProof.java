package org.nyala.core.operation.bind;

import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.operation.extended.AuthorizationIds;

/**
 * The parts that the proofs of all mechanisms have: the entry for a user's name, and the identity
 * once it is proved.
 *
 * <p>Confined to one running operation.
 */
abstract class BasicProof implements SaslProof {
  final OperationContext directory;

  /** The entry for the user's name; null until it is looked for. */
  @Nullable MappedName mapped;

  /** The identity; null until it is proved. */
  @Nullable BoundIdentity proved;

  BasicProof(OperationContext directory) {
    this.directory = directory;
  }

  @Override
  public final BoundIdentity identity() {
    BoundIdentity known = proved;
    if (known == null) {
      throw new IllegalStateException("not proved");
    }
    return known;
  }

  /**
   * Returns the identity for a name that a connection or a ticket proves: the entry to which a rule
   * maps it, or the name itself, whether there is such an entry or not.
   *
   * @param own the name itself, as one of an entry
   */
  final BoundIdentity identityOf(MappedName known, String own) throws LdapOperationException {
    Dn name = known.name();
    if (name == null && !known.isByRule()) {
      return itself(own);
    }
    if (name == null || known.isRootByChance()) {
      throw BindOperation.invalidCredentials(known.failure());
    }
    return AuthorizationIds.of(directory, name);
  }

  /** Returns the identity of a name itself, which is nobody's and never root's. */
  private BoundIdentity itself(String own) throws LdapOperationException {
    Dn name;
    try {
      name = directory.scratch().names.parse(own);
    } catch (LdapOperationException _) {
      throw BindOperation.invalidCredentials(RefusalReason.UNKNOWN_NAME);
    }
    if (name.rdnCount() == 0) {
      throw BindOperation.invalidCredentials(RefusalReason.UNKNOWN_NAME);
    }
    if (AuthorizationIds.of(directory, name).isRootAccount()) {
      throw BindOperation.invalidCredentials(RefusalReason.MAPPED_TO_ROOT);
    }
    return new BoundIdentity(name, false);
  }

  @Override
  public byte @Nullable [] answer() {
    return null;
  }

  @Override
  public void close() {
    MappedName looking = mapped;
    if (looking != null) {
      looking.close();
    }
  }
}
