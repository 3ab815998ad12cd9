package org.nyala.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.nyala.config.AccessRulesFile;
import org.nyala.config.NeededIndexes;
import org.nyala.config.NyalaConfig;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.check.Finding;
import org.nyala.core.access.check.NamedEntries;
import org.nyala.core.access.check.RulesCheck;
import org.nyala.core.access.enforce.GroupWatch;
import org.nyala.core.access.enforce.RuledControl;
import org.nyala.core.access.enforce.RuledControl.DelegatedRules;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.InvalidRulesException;
import org.nyala.core.access.rule.Step;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.filter.Membership;
import org.nyala.core.filter.Pace;
import org.nyala.core.integrity.References;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.management.MonitorTree;

/** Access rules and the store that they are for, in a command. Stateless. */
public final class StoredRules {
  private StoredRules() {}

  /**
   * A review of rules.
   *
   * @param parsed the rules of the file
   * @param findings what their author may not have meant, in the order of the file
   * @param closed the subtrees that are closed, as rules that the store holds cannot be read
   */
  public record Review(AccessRules parsed, List<Finding> findings, List<Finding> closed) {
    public Review {
      findings = List.copyOf(findings);
      closed = List.copyOf(closed);
    }
  }

  /**
   * Reviews rules.
   *
   * @param backend the store that they are for; null without one
   * @throws org.nyala.error.ConfigurationException if they cannot be read
   */
  public static Review review(
      RulesText text, Schema schema, NyalaConfig configuration, @Nullable LmdbBackend backend) {
    AccessRules parsed = AccessRulesFile.parse(text, schema);
    List<Finding> findings = new ArrayList<>(RulesCheck.unreached(parsed));
    List<Finding> closed = new ArrayList<>();
    findings.addAll(RulesCheck.beyondReading(parsed, monitor(schema)));
    if (backend != null) {
      AccessRules all = withDelegated(parsed, text, configuration, backend, findings, closed);
      findings.addAll(missing(all, backend));
    }
    return new Review(parsed, findings, closed);
  }

  private static Dn monitor(Schema schema) {
    try {
      return DnParser.parse(schema, MonitorTree.TOP);
    } catch (InvalidDnException e) {
      throw new IllegalStateException(MonitorTree.TOP, e);
    }
  }

  /**
   * Adds the rules that a store holds to those of a file, and to the findings those that cannot be
   * read or are never asked.
   */
  private static AccessRules withDelegated(
      AccessRules file,
      RulesText text,
      NyalaConfig configuration,
      LmdbBackend backend,
      List<Finding> findings,
      List<Finding> closed) {
    DelegatedRules delegated;
    try {
      delegated = control(text, backend, configuration).delegated();
    } catch (InvalidRulesException e) {
      throw new IllegalStateException("rules can be read once only", e);
    }
    delegated
        .faults()
        .values()
        .forEach(fault -> closed.add(Finding.of(fault, ", so that the subtree is closed")));
    List<Step> steps = new ArrayList<>(file.steps());
    delegated
        .rules()
        .forEach(
            (top, rules) -> {
              if (!delegated.faults().containsKey(top)) {
                steps.addAll(rules);
                findings.addAll(
                    RulesCheck.unreached(
                        new AccessRules(
                            file.zones(), file.people(), List.copyOf(rules), List.of())));
              }
            });
    return new AccessRules(file.zones(), file.people(), steps, file.limits());
  }

  /* Users may come from elsewhere: only names below the suffixes can be missing. */
  private static List<Finding> missing(AccessRules named, LmdbBackend backend) {
    List<Dn> suffixes = backend.namingContexts();
    try (ReadTransaction read = backend.beginRead()) {
      return NamedEntries.missing(
          named,
          name ->
              suffixes.stream().anyMatch(suffix -> suffix.rdnCount() > 0 && name.isWithin(suffix))
                  && read.find(name) == ReadTransaction.NO_ENTRY);
    }
  }

  /**
   * Reads rules for a store, and those that the store holds.
   *
   * @throws InvalidRulesException for the first fault of the text
   */
  public static RuledControl control(
      RulesText rules, LmdbBackend backend, NyalaConfig configuration)
      throws InvalidRulesException {
    Schema schema = backend.extendedSchema().schema();
    Membership membership =
        NeededIndexes.rules(configuration, schema, Optional.empty()).membership();
    return RuledControl.of(
        rules,
        schema,
        membership,
        name -> isHeld(name, backend) ? backend : null,
        new GroupWatch(),
        transaction ->
            new References(transaction, schema, maximumGroups(membership), Pace.UNBOUNDED));
  }

  private static int maximumGroups(@Nullable Membership membership) {
    return membership == null ? 1 : membership.maximumGroups();
  }

  /** Returns whether a name is within the naming contexts of a store. */
  public static boolean isHeld(Dn name, LmdbBackend backend) {
    return backend.namingContexts().stream().anyMatch(name::isWithin);
  }
}
