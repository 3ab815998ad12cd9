package org.nyala.cluster.batch;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ContextEpochs;
import org.nyala.core.backend.ContextHistory;
import org.nyala.core.backend.CopySource;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.Promotion;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.schema.load.ExtendedSchema;

/**
 * A call of a {@link WriteTransaction} that was recorded. Immutable.
 *
 * <p>Nothing in it depends on the member that made it: attributes have their descriptions, not the
 * numbers of a store.
 */
public sealed interface RecordedCall {
  /**
   * A change.
   *
   * @param csn its change sequence number; null if it has none
   * @param entryId the id that the change has returned
   */
  record Applied(ResolvedChange change, @Nullable Csn csn, long entryId) implements RecordedCall {}

  /** The author of the changes that follow; at first there is none. */
  record Authored(Dn author) implements RecordedCall {}

  /** A number that is one of the naming context of a name. */
  record Numbered(Dn name, Csn csn) implements RecordedCall {}

  /** Numbers of the naming context of a name, after changes without numbers. */
  record Raised(Dn name, CsnVector csns) implements RecordedCall {}

  /** The only numbers of the naming context of a name. */
  record Replaced(Dn name, CsnVector csns) implements RecordedCall {}

  /** The note that a naming context became writable, or a copy again. */
  record Promoted(Dn suffix, Promotion promotion) implements RecordedCall {}

  /** Another history of a naming context. */
  record Continued(Dn suffix, ContextHistory history) implements RecordedCall {}

  /** The source of a naming context that is a copy. */
  record Sourced(Dn suffix, CopySource source) implements RecordedCall {}

  /** The epochs of a naming context. */
  record Epochs(Dn suffix, ContextEpochs epochs) implements RecordedCall {}

  /** Other definitions beside those of the schema's files. */
  record Defined(ExtendedSchema schema) implements RecordedCall {}
}
