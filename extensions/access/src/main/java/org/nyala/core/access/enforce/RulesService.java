package org.nyala.core.access.enforce;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.rule.InvalidRulesException;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.EntryFacts;
import org.nyala.core.filter.Membership;
import org.nyala.core.rights.RightsService;
import org.nyala.core.schema.Schema;
import org.nyala.core.update.CommittedChange;

/**
 * The service by which a directory decides by rules in the language of access rules.
 *
 * <p>Thread-safe.
 */
public final class RulesService implements RightsService {
  private final GroupWatch watch = new GroupWatch();

  @Override
  public RuledControl compile(
      RulesText text,
      Schema schema,
      @Nullable Membership membership,
      Function<Dn, @Nullable Backend> backends,
      Function<ReadTransaction, EntryFacts> facts) {
    try {
      return RuledControl.of(text, schema, membership, backends, watch, facts);
    } catch (InvalidRulesException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  @Override
  public boolean endsCommit(ResolvedChange change) {
    return watch.endsCommit(change);
  }

  @Override
  public void committed(List<CommittedChange> changes) {
    watch.committed(changes);
  }
}
