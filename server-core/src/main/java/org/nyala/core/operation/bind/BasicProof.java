package org.nyala.core.operation.bind;

import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.directory.OperationContext;

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
