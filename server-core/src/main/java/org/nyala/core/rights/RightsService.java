package org.nyala.core.rights;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.RulesText;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.EntryFacts;
import org.nyala.core.filter.Membership;
import org.nyala.core.schema.Schema;
import org.nyala.core.update.ChangeListener;
import org.nyala.core.update.CommittedChange;

/**
 * The access rules of one directory, through all changes of its schema and of the rules: compiles
 * them, and is told of commits, which may change the groups that they name.
 *
 * <p>Implementations are thread-safe. Each directory has one of its own.
 */
public interface RightsService extends ChangeListener {
  /** The service of a directory that cannot have rules. */
  RightsService NONE =
      new RightsService() {
        @Override
        public AccessControl compile(
            RulesText text,
            Schema schema,
            @Nullable Membership membership,
            Function<Dn, @Nullable Backend> backends,
            Function<ReadTransaction, EntryFacts> facts) {
          throw new IllegalArgumentException("this program cannot read access rules");
        }

        @Override
        public boolean endsCommit(ResolvedChange change) {
          return false;
        }

        @Override
        public void committed(List<CommittedChange> changes) {}
      };

  /**
   * Reads rules by a schema, and those that the directory holds.
   *
   * @param membership the rules by which {@code memberOf} is computed; null if it is stored
   * @param backends returns the store that holds a name; null if none does
   * @param facts answers what filters of rules ask beyond an entry, in a transaction
   * @throws IllegalArgumentException for the first fault, with its place
   */
  AccessControl compile(
      RulesText text,
      Schema schema,
      @Nullable Membership membership,
      Function<Dn, @Nullable Backend> backends,
      Function<ReadTransaction, EntryFacts> facts);
}
