package org.nyala.core.access.enforce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.session.OperationFixture.SCHEMA;
import static org.nyala.core.session.OperationFixture.bytes;
import static org.nyala.core.session.OperationFixture.search;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.NaiveInterpreter;
import org.nyala.core.access.rule.NaiveInterpreter.Client;
import org.nyala.core.access.rule.PlainDirectory;
import org.nyala.core.access.rule.PlainDirectory.PlainEntry;
import org.nyala.core.access.rule.RandomRequests;
import org.nyala.core.access.rule.RandomRules;
import org.nyala.core.access.rule.Rule;
import org.nyala.core.access.rule.RulesPrinter;
import org.nyala.core.access.rule.Step;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.RecordingSink;
import org.nyala.core.rights.Right;
import org.nyala.core.session.OperationFixture;

/** Compares searches under random rules with searches by the book. */
final class RuledSearchOracleTest {
  private static final int ROUNDS = Integer.getInteger("nyala.test.ruledSearches", 150);

  /** The entries that a store holds. */
  private static final List<PlainEntry> ENTRIES = RandomRequests.ENTRIES.subList(2, 11);

  private static final List<String> BASES =
      List.of(
          "dc=example,dc=com",
          "ou=people,dc=example,dc=com",
          "uid=ann,ou=people,dc=example,dc=com",
          "cn=book,uid=ann,ou=people,dc=example,dc=com",
          "cn=none,cn=book,uid=ann,ou=people,dc=example,dc=com");

  private static final List<String> USERS =
      List.of(
          "",
          "uid=ann,ou=people,dc=example,dc=com",
          "uid=bob,ou=people,dc=example,dc=com",
          "cn=nobody,dc=example,dc=com");

  /** Attributes without subtypes, for rules that tell values apart. */
  private static final List<String> SIMPLE = List.of("mail", "sn", "member", "owner");

  private static final List<String> ALL =
      List.of("cn", "name", "sn", "mail", "cn;lang-de", "objectClass", "owner");

  private static final List<String> RULES =
      List.of("caseIgnoreMatch", "caseExactMatch", "distinguishedNameMatch");

  private static final List<String> VALUES =
      List.of("Ann", "Anna", "x", "bob@x.org", "person", "uid=ann,ou=people,dc=example,dc=com");

  @Test
  void shouldFindAndShowTheSameAsByTheBook() throws Exception {
    long seed = Seeds.seed();
    int found = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(seed + round);
      AccessRules rules = unlimited(new RandomRules(SCHEMA, seed + round).nextOfFile(12));
      String text = RulesPrinter.print(rules);
      OperationFixture server = new OperationFixture();
      server.store(ENTRIES.stream().map(NaiveSearch::entry).toList(), random.nextBoolean());
      server.rights = new RulesService();
      server.access = new AccessPolicy(false).withRules(new RulesText("rules", text));
      NaiveInterpreter naive =
          new NaiveInterpreter(rules, new PlainDirectory(SCHEMA, RandomRequests.ENTRIES));
      for (int i = 0; i < 20; i++) {
        String user = one(USERS, random);
        server.identity = new BoundIdentity(OperationFixture.entry(user).dn(), false);
        server.budget = new SliceBudget(1 + random.nextInt(20), Long.MAX_VALUE / 4);
        Client client = new Client(user, "0.0.0.0", 0, 0, 0, "");
        Request.Search request =
            search(
                one(BASES, random),
                one(List.of(Scope.values()), random),
                filter(random, 3, tellsValues(rules)));
        String about = "-Dtest.seed=" + seed + " round " + round + ' ' + user + request + text;
        found += compare(server, new NaiveSearch(naive, client, ENTRIES), request, about);
      }
    }
    assertThat(found).isPositive();
  }

  private static AccessRules unlimited(AccessRules rules) {
    return new AccessRules(rules.zones(), rules.people(), rules.steps(), List.of());
  }

  private static int compare(
      OperationFixture server, NaiveSearch naive, Request.Search request, String about) {
    RecordingSink sink = server.run(request);
    LdapResult refusal = refusal(naive, request.base());
    LdapResult result = sink.results.getFirst();
    if (refusal != null) {
      assertThat(result.code()).as(about).isEqualTo(refusal.code());
      assertThat(NaiveSearch.names(result.matchedDn()))
          .as(about)
          .isEqualTo(NaiveSearch.names(refusal.matchedDn()));
      assertThat(sink.dns).as(about).isEmpty();
      return 0;
    }
    assertThat(result.code()).as(about).isEqualTo(ResultCode.SUCCESS);
    Map<String, Map<String, List<String>>> shown = new TreeMap<>();
    for (int i = 0; i < sink.dns.size(); i++) {
      shown.put(
          NaiveSearch.names(sink.dns.get(i)).toString(), new TreeMap<>(sink.attributes.get(i)));
    }
    assertThat(shown).as(about).isEqualTo(naive.found(request));
    return shown.size();
  }

  /** Returns the refusal of a search below a base; null if it is carried out. */
  private static LdapResult refusal(NaiveSearch naive, String base) {
    PlainEntry entry = entry(NaiveSearch.names(base));
    if (entry != null && naive.may(Right.SEARCH, entry, "entry", null)) {
      return null;
    }
    if (entry != null && naive.may(Right.DISCLOSE, entry, "entry", null)) {
      return LdapResult.of(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    }
    List<String> names = NaiveSearch.names(base);
    for (int i = 1; i < names.size(); i++) {
      PlainEntry above = entry(names.subList(i, names.size()));
      if (above != null && naive.may(Right.DISCLOSE, above, "entry", null)) {
        return new LdapResult(ResultCode.NO_SUCH_OBJECT, above.name(), "", List.of());
      }
    }
    return LdapResult.of(ResultCode.NO_SUCH_OBJECT);
  }

  private static PlainEntry entry(List<String> names) {
    for (PlainEntry each : ENTRIES) {
      if (NaiveSearch.names(each.name()).equals(names)) {
        return each;
      }
    }
    return null;
  }

  private static boolean tellsValues(AccessRules rules) {
    for (Step step : rules.steps()) {
      if (step instanceof Rule rule
          && (rule.target().value() != null
              || rule.clauses().stream().anyMatch(each -> each.toString().contains("OWN_VALUE")))) {
        return true;
      }
    }
    return false;
  }

  private static FilterNode filter(Random random, int depth, boolean isSimple) {
    if (depth > 0 && random.nextInt(3) > 0) {
      return switch (random.nextInt(3)) {
        case 0 -> new FilterNode.Not(filter(random, depth - 1, isSimple));
        case 1 -> new FilterNode.And(filters(random, depth - 1, isSimple));
        default -> new FilterNode.Or(filters(random, depth - 1, isSimple));
      };
    }
    String attribute = one(isSimple ? SIMPLE : ALL, random);
    byte[] value = bytes(one(VALUES, random));
    return switch (random.nextInt(isSimple ? 2 : 5)) {
      case 0 -> new FilterNode.Present(attribute);
      case 1 -> new FilterNode.Equality(attribute, value);
      case 2 -> new FilterNode.Extensible(one(RULES, random), null, value, false);
      case 3 -> new FilterNode.Extensible(one(RULES, random), attribute, value, false);
      default -> new FilterNode.Substrings(attribute, bytes("a"), List.of(), null);
    };
  }

  private static List<FilterNode> filters(Random random, int depth, boolean isSimple) {
    List<FilterNode> some = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      some.add(filter(random, depth, isSimple));
    }
    return some;
  }

  private static <T> T one(List<T> of, Random random) {
    return of.get(random.nextInt(of.size()));
  }
}
