package org.nyala.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Seeds;
import org.nyala.core.access.slapd.ImportedRules;
import org.nyala.core.access.slapd.SlapdImport;
import org.nyala.core.schema.load.SchemaLoader;

/**
 * Sends the same random requests to slapd with access lines and to Nyala with the rules that these
 * are imported as, and compares the answers; passwords, which Nyala treats otherwise, are left out.
 */
@Timeout(300)
class SlapdRulesTest {
  private static final int PROBES = Integer.getInteger("nyala.test.slapdProbes", 400);
  private static final String TOP = "o=harbour";
  private static final String PEOPLE = "ou=people," + TOP;
  private static final String GROUPS = "ou=groups," + TOP;
  private static final String ANN = "uid=ann," + PEOPLE;
  private static final String BOB = "uid=bob," + PEOPLE;
  private static final String STAFF = "cn=staff," + GROUPS;
  private static final String PASSWORDS =
      "access to attrs=userPassword by anonymous auth by self =w by * none\n";

  @TempDir Path folder;

  /** Access lines, each set with another part of the language. */
  static final class Lines {
    static final String PLACES =
        """
        access to dn.subtree="ou=people,o=harbour" attrs=mail,telephoneNumber
          by self write
          by users read
          by * none
        access to dn.children="ou=people,o=harbour"
          by self write
          by users search
          by * disclose
        access to dn.base="ou=groups,o=harbour" by users read
        access to dn.one="ou=groups,o=harbour" attrs=entry,cn by * read
        access to dn.subtree="ou=groups,o=harbour" by users compare
        access to * by * read
        """;
    static final String GROUPS =
        """
        access to dn.children="ou=groups,o=harbour" attrs=member
          by dnattr=owner write
          by users selfwrite
          by * none
        access to dn.subtree="ou=people,o=harbour" attrs=@person
          by group="cn=staff,ou=groups,o=harbour" write
          by * search
        access to attrs=entry,children by * write
        access to *
          by group="cn=staff,ou=groups,o=harbour" =wrscd
          by dn.exact="uid=bob,ou=people,o=harbour" read
          by * none
        """;
    static final String FLOW =
        """
        access to filter="(title=*)" attrs=title,description
          by self write
          by users =rs continue
          by dn.children="ou=people,o=harbour" +c break
          by * none
        access to attrs=title
          by * +d
        access to dn.regex="^(.+,)?uid=([^,]+),ou=people,o=harbour$" attrs=sn,description
          by dn.exact,expand="uid=$2,ou=people,o=harbour" write
          by * search
        access to *
          by anonymous search
          by users read
        """;
    static final String HIDDEN =
        """
        access to dn.base="uid=bob,ou=people,o=harbour" by self read by * none
        access to dn.subtree="ou=groups,o=harbour" filter="(owner=*)" by * none
        access to attrs=telephoneNumber by * none
        access to dn.exact="ou=people,o=harbour" attrs=entry by users search by * none
        access to * by users read by * auth
        """;

    private Lines() {}

    static String of(String name) {
      return switch (name) {
        case "places" -> PLACES;
        case "groups" -> GROUPS;
        case "flow" -> FLOW;
        default -> HIDDEN;
      };
    }
  }

  private static final String[] ENTRIES = {
    "dn: o=harbour\nobjectClass: organization\no: harbour",
    "dn: ou=people,o=harbour\nobjectClass: organizationalUnit\nou: people\ndescription: all",
    "dn: ou=groups,o=harbour\nobjectClass: organizationalUnit\nou: groups",
    "dn: uid=ann,ou=people,o=harbour\nobjectClass: inetOrgPerson\nuid: ann\ncn: Ann\nsn: X"
        + "\nmail: ann@x.org\ntelephoneNumber: 1\ntitle: chief\nuserPassword: secret",
    "dn: uid=bob,ou=people,o=harbour\nobjectClass: inetOrgPerson\nuid: bob\ncn: Bob\nsn: Y"
        + "\nmail: bob@x.org\ntelephoneNumber: 2\ndescription: a\nuserPassword: secret",
    "dn: uid=eve,ou=people,o=harbour\nobjectClass: inetOrgPerson\nuid: eve\ncn: Eve\nsn: X"
        + "\ntitle: boss\ndescription: a\ndescription: b\nuserPassword: secret",
    "dn: cn=note,uid=ann,ou=people,o=harbour\nobjectClass: device\ncn: note\nowner: " + ANN,
    "dn: cn=staff,ou=groups,o=harbour\nobjectClass: groupOfNames\ncn: staff\nmember: " + ANN,
    "dn: cn=crew,ou=groups,o=harbour\nobjectClass: groupOfNames\ncn: crew\nowner: "
        + BOB
        + "\nmember: "
        + ANN
        + "\nmember: "
        + BOB,
  };

  private static final List<String> NAMES =
      List.of(
          TOP,
          PEOPLE,
          GROUPS,
          ANN,
          BOB,
          "uid=eve," + PEOPLE,
          "cn=note," + ANN,
          STAFF,
          "cn=crew," + GROUPS,
          "cn=none," + PEOPLE);
  private static final List<String> ATTRIBUTES =
      List.of(
          "cn",
          "sn",
          "mail",
          "telephoneNumber",
          "title",
          "description",
          "objectClass",
          "uid",
          "member",
          "owner");
  private static final Map<String, String> VALID =
      Map.of("member", ANN, "owner", BOB, "objectClass", "inetOrgPerson", "telephoneNumber", "1");
  private static final List<String> VALUES =
      List.of("a", "b", "X", "Ann", "1", "chief", "ann@x.org", ANN, BOB, "inetOrgPerson");

  /** One server, with a connection for each user. */
  private static final class Asked implements AutoCloseable {
    final BehaviourServer server;
    final Map<String, LDAPConnection> connections = new HashMap<>();

    Asked(BehaviourServer server) throws Exception {
      this.server = server;
      URI url = URI.create(server.url());
      for (String user : List.of("", ANN, BOB, "uid=eve," + PEOPLE, BehaviourServer.ADMIN)) {
        connections.put(user, new LDAPConnection(url.getHost(), url.getPort()));
      }
      LDAPConnection root = connections.get(BehaviourServer.ADMIN);
      root.bind(BehaviourServer.ADMIN, BehaviourServer.PASSWORD);
      for (String entry : ENTRIES) {
        root.add(entry.split("\n", -1));
      }
      for (Map.Entry<String, LDAPConnection> each : connections.entrySet()) {
        if (each.getKey().startsWith("uid")) {
          each.getValue().bind(each.getKey(), "secret");
        }
      }
    }

    @Override
    public void close() {
      connections.values().forEach(LDAPConnection::close);
      server.close();
    }
  }

  /** A request, and its answer by a server. */
  private interface Probe {
    String ask(LDAPConnection connection) throws LDAPException;
  }

  @ParameterizedTest
  @ValueSource(strings = {"places", "groups", "flow", "hidden"})
  void shouldAnswerAsSlapdDoes(String name) throws Exception {
    String lines = PASSWORDS + Lines.of(name);
    Path conf =
        Files.writeString(
            folder.resolve("lines.conf"), "database mdb\nsuffix \"" + TOP + "\"\n" + lines);
    ImportedRules imported = SlapdImport.read(conf, SchemaLoader.standard());
    assertThat(imported.unsaid()).isEmpty();
    long seed = Seeds.seed();
    Random random = new Random(seed);
    Path ofSlapd = Files.createDirectory(folder.resolve("slapd"));
    Path ofNyala = Files.createDirectory(folder.resolve("nyala"));
    try (Asked slapd = new Asked(BehaviourServer.slapdWith(ofSlapd, TOP, lines));
        Asked nyala = new Asked(BehaviourServer.nyalaWith(ofNyala, TOP, imported.text()))) {
      List<String> users = new ArrayList<>(new TreeSet<>(slapd.connections.keySet()));
      users.remove(BehaviourServer.ADMIN);
      for (int i = 0; i < PROBES; i++) {
        String user = one(users, random);
        String[] about = new String[1];
        Probe probe = probe(random, about);
        assertThat(answer(probe, nyala.connections.get(user)))
            .as("-Dtest.seed=%d probe %d as '%s': %s\n%s", seed, i, user, about[0], imported.text())
            .isEqualTo(answer(probe, slapd.connections.get(user)));
      }
    }
  }

  private static String answer(Probe probe, LDAPConnection connection) {
    try {
      return probe.ask(connection);
    } catch (LDAPException e) {
      return e.getResultCode().getName();
    }
  }

  private static Probe probe(Random random, String[] about) {
    String name = one(NAMES, random);
    String attribute = one(ATTRIBUTES, random);
    String value = one(VALUES, random);
    return switch (random.nextInt(8)) {
      case 0 -> {
        // slapd refuses what is not valid for the attribute before it looks at rights.
        String compared = VALID.getOrDefault(attribute, value);
        about[0] = "compare " + name + ' ' + attribute + ' ' + compared;
        yield connection ->
            Boolean.toString(connection.compare(name, attribute, compared).compareMatched());
      }
      case 1 -> {
        ModificationType type = one(List.of(ModificationType.ADD, ModificationType.DELETE), random);
        String other = one(List.of("description", "title"), random);
        about[0] = type + " " + name + ' ' + other + ' ' + value;
        yield connection -> modify(connection, name, new Modification(type, other, value));
      }
      default -> {
        Filter filter = filter(random, 2);
        SearchScope scope =
            one(List.of(SearchScope.BASE, SearchScope.ONE, SearchScope.SUB), random);
        about[0] = "search " + name + ' ' + scope + ' ' + filter;
        yield connection -> search(connection, name, scope, filter);
      }
    };
  }

  /** slapd tells that a hidden entry exists if somebody tries to modify it. */
  private static String modify(LDAPConnection connection, String name, Modification change)
      throws LDAPException {
    try {
      return connection.modify(name, change).getResultCode().getName();
    } catch (LDAPException e) {
      if (e.getResultCode() == ResultCode.NO_SUCH_OBJECT
          || e.getResultCode() == ResultCode.INSUFFICIENT_ACCESS_RIGHTS) {
        return "refused";
      }
      throw e;
    }
  }

  private static String search(
      LDAPConnection connection, String base, SearchScope scope, Filter filter)
      throws LDAPException {
    SearchRequest request =
        new SearchRequest(
            base,
            scope,
            DereferencePolicy.NEVER,
            0,
            0,
            false,
            filter,
            ATTRIBUTES.toArray(String[]::new));
    List<SearchResultEntry> entries;
    try {
      entries = connection.search(request).getSearchEntries();
    } catch (LDAPSearchException e) {
      return e.getResultCode().getName();
    }
    Map<String, Map<String, List<String>>> found = new TreeMap<>();
    for (SearchResultEntry entry : entries) {
      Map<String, List<String>> shown = new TreeMap<>();
      for (Attribute attribute : entry.getAttributes()) {
        List<String> values = new ArrayList<>(Arrays.asList(attribute.getValues()));
        values.sort(null);
        shown.put(attribute.getName().toLowerCase(Locale.ROOT), values);
      }
      found.put(entry.getDN(), shown);
    }
    return found.toString();
  }

  private static Filter filter(Random random, int depth) {
    if (depth > 0 && random.nextInt(3) > 0) {
      return switch (random.nextInt(3)) {
        case 0 -> Filter.createNOTFilter(filter(random, depth - 1));
        case 1 -> Filter.createANDFilter(filter(random, depth - 1), filter(random, depth - 1));
        default -> Filter.createORFilter(filter(random, depth - 1), filter(random, depth - 1));
      };
    }
    String attribute = one(ATTRIBUTES, random);
    return switch (random.nextInt(3)) {
      case 0 -> Filter.createPresenceFilter(attribute);
      case 1 -> Filter.createSubstringFilter("description", "a", null, null);
      default -> Filter.createEqualityFilter(attribute, one(VALUES, random));
    };
  }

  private static <T> T one(List<T> of, Random random) {
    return of.get(random.nextInt(of.size()));
  }
}
