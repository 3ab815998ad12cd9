package org.nyala.core.access.enforce;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.Clause;
import org.nyala.core.access.rule.Delegation;
import org.nyala.core.access.rule.Grant;
import org.nyala.core.access.rule.InvalidRulesException;
import org.nyala.core.access.rule.Rule;
import org.nyala.core.access.rule.Source;
import org.nyala.core.access.rule.Step;
import org.nyala.core.access.rule.Target;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.integrity.ChangedEntry;
import org.nyala.core.schema.Schema;

/**
 * The rules that the directory holds for the subtrees that the file delegates to it. Rules that
 * cannot be read close their subtree, at the place of the delegation: to ask the others would give
 * what the unreadable one may deny.
 *
 * <p>Immutable.
 *
 * @param rules the rules of each subtree, by the name of its top
 * @param faults the reason for each subtree that is closed
 */
public record DelegatedRules(Map<Dn, List<Rule>> rules, Map<Dn, InvalidRulesException> faults) {
  public DelegatedRules {
    rules = Map.copyOf(rules);
    faults = Map.copyOf(faults);
  }

  /** Returns the entries that hold the rules, by the names of the subtrees' tops. */
  static Map<Dn, RulesEntry> entries(AccessRules file, Schema schema) {
    Map<Dn, RulesEntry> entries = new LinkedHashMap<>();
    for (Step step : file.steps()) {
      if (step instanceof Delegation delegation) {
        entries.computeIfAbsent(delegation.subtree(), top -> RulesEntry.below(top, schema));
      }
    }
    return entries;
  }

  /**
   * Reads the rules from the stores, with a look-up for each subtree.
   *
   * @param file the rules of the file
   * @param text the bounds of rules
   * @param backends returns the store that holds a name; null if none does
   */
  static DelegatedRules read(
      AccessRules file, RulesText text, Schema schema, Function<Dn, @Nullable Backend> backends) {
    Map<Dn, List<Rule>> rules = new HashMap<>();
    Map<Dn, InvalidRulesException> faults = new HashMap<>();
    try (OpenStores stores = new OpenStores(null)) {
      entries(file, schema)
          .forEach(
              (top, entry) -> {
                Backend backend = backends.apply(entry.name());
                if (backend == null) {
                  return;
                }
                try {
                  Entry stored = stored(entry, stores.of(backend));
                  if (stored != null) {
                    rules.put(top, entry.read(stored, file, text, schema));
                  }
                } catch (InvalidRulesException e) {
                  faults.put(top, e);
                } catch (RuntimeException e) {
                  faults.put(top, entry.fault("the store cannot be read: " + e));
                }
              });
    }
    faults.forEach((top, fault) -> rules.put(top, List.of(closing(fault.source()))));
    return new DelegatedRules(rules, faults);
  }

  private static @Nullable Entry stored(RulesEntry entry, ReadTransaction transaction) {
    long id = transaction.find(entry.name());
    EntryView view = new EntryView();
    return id != ReadTransaction.NO_ENTRY && transaction.read(id, view)
        ? ChangedEntry.of(transaction, view, entry.name(), List.of())
        : null;
  }

  /** Returns the rule that gives nothing to anybody. */
  private static Rule closing(Source source) {
    Grant nothing = new Grant(Grant.Mode.SET, Set.of());
    return new Rule(
        Target.ALL, List.of(new Clause(List.of(), nothing, Clause.Flow.STOP, source)), source);
  }
}
