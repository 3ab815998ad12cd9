package org.nyala.core.access.decide;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.Attributes;
import org.nyala.core.access.rule.Clause;
import org.nyala.core.access.rule.Grant;
import org.nyala.core.access.rule.Group;
import org.nyala.core.access.rule.InvalidRulesException;
import org.nyala.core.access.rule.Place;
import org.nyala.core.access.rule.PlainDirectory.PlainEntry;
import org.nyala.core.access.rule.Rule;
import org.nyala.core.access.rule.RulesParser;
import org.nyala.core.access.rule.Source;
import org.nyala.core.access.rule.Target;
import org.nyala.core.access.rule.Where;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.Pace;
import org.nyala.core.rights.ClientFacts;
import org.nyala.core.rights.Right;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;

/** Rules as text, clients and entries for tests of decisions. */
abstract class DecisionFixture {
  static final Schema SCHEMA = SchemaLoader.standard();
  static final String TOP = "dc=example,dc=com";
  static final String PEOPLE = "ou=people," + TOP;
  static final String ANN = "uid=ann," + PEOPLE;
  static final String BOB = "uid=bob," + PEOPLE;
  static final Pace OVER = () -> false;

  final SampleEntries samples = new SampleEntries(SCHEMA);
  final EntryView view = new EntryView();
  final List<String> asked = new ArrayList<>();

  static AccessRules parse(String text) {
    try {
      return RulesParser.parse("r", text.getBytes(UTF_8), SCHEMA);
    } catch (InvalidRulesException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  static GroupMemberships memberships(Set<String> groups) {
    return new GroupMemberships() {
      @Override
      public long version() {
        return 3;
      }

      @Override
      public boolean isMember(Group group) {
        return groups.contains(group.name().toString());
      }
    };
  }

  DecidedRules rules(String text, String user) {
    ClientFacts facts = new ClientFacts(samples.dn(user), null, 0, 0, 71, "simple");
    return CompiledRules.of(parse(text), Map.of(), SCHEMA, null)
        .forClient(facts, memberships(Set.of("cn=admins," + TOP)));
  }

  EntryAccess access(DecidedRules rules) {
    return new EntryAccess(
        rules,
        (user, name, group, pace) -> {
          asked.add(name.toString());
          return name.toString().startsWith("cn=ann,");
        });
  }

  static PlainEntry entry(String name, String attribute, String... values) {
    return new PlainEntry(name, Map.of(attribute, List.of(values)));
  }

  RuledProfile profile(EntryAccess access, String name) {
    return profile(access, entry(name, "cn", "x"));
  }

  RuledProfile profile(EntryAccess access, PlainEntry entry) {
    samples.show(entry, false, view);
    return access.profile(view, samples.table(), _ -> false, Pace.UNBOUNDED);
  }

  AttributeDescription description(String attribute) {
    return samples.description(attribute);
  }

  static Rule rule(String filter, Right right) {
    Target target = new Target(Place.EVERYWHERE, new Where(filter), Attributes.ALL, null);
    Grant grant = new Grant(Grant.Mode.SET, Set.of(right));
    Clause clause = new Clause(List.of(), grant, Clause.Flow.STOP, Source.NONE);
    return new Rule(target, List.of(clause), Source.NONE);
  }
}
