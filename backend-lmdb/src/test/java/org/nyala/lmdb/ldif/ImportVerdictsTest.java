package org.nyala.lmdb.ldif;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.update.RulesFixture.RULES;
import static org.nyala.core.update.RulesFixture.SCHEMA;
import static org.nyala.core.update.RulesFixture.dn;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.schema.ClassSet;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.lmdb.ImportTestCase;
import org.nyala.lmdb.env.LmdbSettings;

/**
 * Import and add beside each other: what add refuses, import refuses with the same reason, unless
 * one of the {@link Excepted exceptions} says so; and what add accepts, import accepts.
 */
class ImportVerdictsTest {
  private static final String SUFFIX = "dc=example";
  private static final int VALUES = 100;
  private static final int RANDOM_ENTRIES = 4000;
  private static final Pattern REJECTED = Pattern.compile("# line \\d+: (.*)\ndn:: (\\S+)\n");

  /** Faults with which add refuses an entry and import does not. */
  private enum Excepted {
    /** The attributes that another server has kept or computed come with its entries. */
    OPERATIONAL("only the server itself writes the attribute .*"),
    /** Entries outlive the definitions that they use. */
    OBSOLETE(".*is obsolete"),
    /** Such a password is imported and matches nothing; the import counts them. */
    COSTLY_PASSWORD("a value of .* requires more than .*"),
    /** The rule that governs the entry above is not known while entries are read. */
    PLACE("none of the structure rules .* stand (here|below .*)");

    private final Pattern reason;

    Excepted(String reason) {
      this.reason = Pattern.compile(reason);
    }

    static boolean covers(String reason) {
      for (Excepted each : values()) {
        if (each.reason.matcher(reason).matches()) {
          return true;
        }
      }
      return false;
    }
  }

  /** An entry in words. */
  private record Candidate(String rdn, List<String> lines) {
    static Candidate of(String rdn, String lines) {
      return new Candidate(rdn, List.of(lines.split("; ")));
    }

    String name(int number) {
      return rdn.replace("#", Integer.toString(number)) + "," + SUFFIX;
    }

    /** With all values in base64, so that blanks and line ends stay. */
    String ldif(int number) {
      StringBuilder ldif = new StringBuilder("dn:: " + base64(name(number)) + "\n");
      for (String line : lines) {
        int colon = line.indexOf(": ");
        ldif.append(line, 0, colon).append(":: ").append(base64(line.substring(colon + 2)));
        ldif.append('\n');
      }
      return ldif.append('\n').toString();
    }

    /** The attributes of an Add, those of one name in one list. */
    List<Request.AttributeValues> attributes() {
      Map<String, Request.AttributeValues> attributes = new LinkedHashMap<>();
      for (String line : lines) {
        int colon = line.indexOf(": ");
        String name = line.substring(0, colon);
        attributes
            .computeIfAbsent(
                name.toLowerCase(Locale.ROOT),
                _ -> new Request.AttributeValues(name, new ArrayList<>()))
            .values()
            .add(line.substring(colon + 2).getBytes(UTF_8));
      }
      return List.copyOf(attributes.values());
    }
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
  }

  @TempDir Path folder;

  /** The reason why add refuses an entry below one that no structure rule governs; null if not. */
  private static @Nullable String added(Candidate candidate, int number, boolean relaxed) {
    try {
      Dn name = dn(candidate.name(number));
      Entry entry = RULES.newEntry(name, candidate.attributes(), relaxed).go(Pace.UNBOUNDED);
      ClassSet classes = RULES.checkNew(entry, relaxed);
      RULES.governingRule(classes, name, null);
      return null;
    } catch (LdapOperationException e) {
      return e.result().message();
    }
  }

  /** The reasons why an import rejects entries, by their numbers. */
  private Map<String, String> imported(List<Candidate> candidates) throws IOException {
    StringBuilder ldif =
        new StringBuilder("dn: " + SUFFIX + "\nobjectClass: domain\ndc: example\n\n");
    for (int i = 0; i < candidates.size(); i++) {
      ldif.append(candidates.get(i).ldif(i));
    }
    Path file = Files.writeString(folder.resolve("in.ldif"), ldif);
    Path rejects = folder.resolve("rejects.ldif");
    Files.deleteIfExists(rejects);
    ImportSettings settings =
        ImportSettings.defaults(SCHEMA)
            .with(draft -> draft.lmdb = LmdbSettings.DEFAULT.withMapSizeBytes(1L << 30))
            .with(draft -> draft.bounds = bounds())
            .with(draft -> draft.rejectFile = rejects)
            .with(draft -> draft.replace = true);
    ImportResult result =
        new LdifImport(
                ExtendedSchema.of(SCHEMA),
                settings,
                ImportProgress.SILENT,
                ImportTestCase.CLOCK,
                System::nanoTime)
            .run(List.of(ImportSource.file(file)), folder.resolve("data"));
    Map<String, String> reasons = new LinkedHashMap<>();
    if (result.entriesRejected() > 0) {
      Matcher rejected = REJECTED.matcher(Files.readString(rejects));
      while (rejected.find()) {
        String name = new String(Base64.getDecoder().decode(rejected.group(2)), UTF_8);
        assertThat(reasons.put(name, rejected.group(1))).isNull();
      }
    }
    assertThat((long) reasons.size()).isEqualTo(result.entriesRejected());
    return reasons;
  }

  private static EntryBounds bounds() {
    EntryBounds usual = EntryBounds.DEFAULT;
    return new EntryBounds(
        usual.dnLength(),
        usual.dnRdns(),
        VALUES,
        usual.sizes(),
        usual.changeableBytes(),
        usual.hashes());
  }

  /* The form of a name is judged wherever the entry stands; a class may be given by its number. */
  private static String comparable(String reason) {
    return reason
        .replaceFirst(" stand (here|anywhere|below .*)$", " stand")
        .replaceFirst("of objectClass, '[^']*'", "of objectClass");
  }

  @Test
  void shouldGiveTheReasonsOfAdd() throws IOException {
    List<Candidate> candidates = handwritten();
    Map<String, String> rejected = imported(candidates);
    int refused = 0;
    int excepted = 0;
    for (int i = 0; i < candidates.size(); i++) {
      Candidate candidate = candidates.get(i);
      String expected = added(candidate, i, false);
      String reason = rejected.get(candidate.name(i));
      if (expected == null) {
        assertThat(reason).as(candidate.toString()).isNull();
      } else if (Excepted.covers(expected) && reason == null) {
        excepted++;
      } else {
        refused++;
        assertThat(reason).as(candidate + ": " + expected).isNotNull();
        assertThat(comparable(reason)).as(candidate.toString()).isEqualTo(comparable(expected));
      }
    }
    assertThat(refused).isGreaterThan(35);
    assertThat(excepted).isEqualTo(9);
  }

  private static List<Candidate> handwritten() {
    List<Candidate> candidates = new ArrayList<>();
    String thing = "objectClass: thing; ";
    for (String lines :
        List.of(
            // Accepted by both.
            "objectClass: thing",
            thing + "single;lang-en: a; single;lang-de: b",
            thing + "description: a; Description: b",
            thing + "certificateRevocationList;binary: 0.",
            thing + "objectClass: top; objectClass: located; ou: a",
            "objectClass: ruled; objectClass: located; description: a; title: b; ou: c",
            thing + "objectClass: extensibleObject; street: a",
            "objectClass: subentry; objectClass: collectiveAttributeSubentry; subtreeSpecification:"
                + " {}; shared: a",
            "objectClass: referral; objectClass: extensibleObject; ref: ldap://x",
            thing + "raw: a; raw: A",
            // Refused by both.
            "cn: a",
            "objectClass: nope",
            "objectClass: top",
            "objectClass: concept",
            "objectClass: located",
            thing + "objectClass: person",
            thing + "objectClass: concept",
            "objectClass: posixAccount; objectClass: thing",
            thing + "street: a",
            thing + "shared: a",
            thing + "objectClass: extensibleObject; shared: a",
            thing + "ref: ldap://x",
            thing + "objectClass: extensibleObject; ref: ldap://x",
            "objectClass: ruled",
            "objectClass: ruled; description: a; sn: b",
            "objectClass: ruled; objectClass: other; description: a",
            "objectClass: ruled; objectClass: extensibleObject; description: a",
            thing + "single: a; single: b",
            thing + "number: 1; number: x1",
            thing + "description: a; description: B; description:  A  ",
            thing + "description: a; DESCRIPTION: A",
            thing + "objectClass: 1.2.3.2.1",
            thing + "objectClass: Thing",
            thing + "raw: a; raw: a",
            thing + "nope: a",
            thing + "description;binary: a",
            thing + "certificateRevocationList: 0.",
            thing + "description;lang-en-: a",
            thing + "description;x-foo: a",
            thing + "objectClass: person; userPassword: {CRYPT}x; userPassword: {CRYPT}x",
            thing + "description: " + many(VALUES + 1),
            // The exceptions.
            "objectClass: oldThing",
            thing + "objectClass: oldOther",
            thing + "old: a",
            thing + "modifyTimestamp: 20200101000000Z",
            thing + "entryUUID: 2d8d8e5e-0000-1000-8000-000000000001",
            thing + "structuralObjectClass: thing",
            "objectClass: organizationalRole",
            "objectClass: person; sn: a; userPassword: {CRYPT}$6$rounds=999999999$salt$x")) {
      candidates.add(Candidate.of("cn=#", lines));
    }
    for (String rdn :
        List.of(
            "raw=#",
            "shared=#",
            "entryUUID=2d8d8e5e-0000-1000-8000-0000000000#",
            "old=#",
            "cn=#+raw=a",
            "single=#",
            "CN=#+description=d")) {
      candidates.add(Candidate.of(rdn, "objectClass: thing; cn: c; single: a"));
    }
    candidates.add(Candidate.of("cn=#", "objectClass: organizationalUnit; ou: a"));
    candidates.add(Candidate.of("ou=#", "objectClass: organizationalUnit"));
    candidates.add(Candidate.of("l=#+ou=a", "objectClass: organizationalUnit"));
    candidates.add(
        Candidate.of("description=#", "objectClass: thing; cn: a; description: " + many(VALUES)));
    return candidates;
  }

  private static String many(int values) {
    StringBuilder lines = new StringBuilder("v");
    for (int i = 1; i < values; i++) {
      lines.append("; description: v").append(i);
    }
    return lines.toString();
  }

  @Test
  void shouldRefuseTheRandomEntriesThatAddRefuses() throws IOException {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    List<Candidate> candidates = new ArrayList<>();
    for (int i = 0; i < RANDOM_ENTRIES; i++) {
      candidates.add(mutated(random));
    }
    Map<String, String> rejected = imported(candidates);
    int accepted = 0;
    for (int i = 0; i < candidates.size(); i++) {
      Candidate candidate = candidates.get(i);
      String expected = added(candidate, i, false);
      String relaxed = added(candidate, i, true);
      String reason = rejected.get(candidate.name(i));
      String what = "seed " + seed + ", " + candidate.name(i) + " " + candidate.lines();
      if (expected == null || relaxed == null) {
        accepted++;
        assertThat(reason).as(what).isNull();
      } else if (reason == null) {
        assertThat(Excepted.covers(expected)).as("%s: %s", what, expected).isTrue();
        assertThat(Excepted.covers(relaxed)).as("%s: %s", what, relaxed).isTrue();
      }
    }
    assertThat(accepted).isGreaterThan(RANDOM_ENTRIES / 20);
    assertThat(rejected.size()).isGreaterThan(RANDOM_ENTRIES / 20);
  }

  private static final List<Candidate> SOUND =
      List.of(
          Candidate.of("cn=#", "objectClass: thing; description: a; number: 1; single: b; raw: c"),
          Candidate.of("cn=#", "objectClass: ruled; objectClass: located; description: a; ou: b"),
          Candidate.of(
              "cn=#",
              "objectClass: subentry; objectClass: collectiveAttributeSubentry;"
                  + " subtreeSpecification: {}; shared: a"),
          Candidate.of(
              "cn=#", "objectClass: referral; objectClass: extensibleObject; ref: ldap://x"),
          Candidate.of("ou=#", "objectClass: organizationalUnit; l: b"),
          Candidate.of("cn=#", "objectClass: person; sn: a; userPassword: secret"));

  private static final List<String> PIECES =
      List.of(
          "objectClass: top",
          "objectClass: thing",
          "objectClass: located",
          "objectClass: other",
          "objectClass: oldOther",
          "objectClass: extensibleObject",
          "objectClass: nope",
          "description: a",
          "description: A",
          "description;lang-en: a",
          "description;x-foo: a",
          "DESCRIPTION: c",
          "number: 17",
          "number: seventeen",
          "onlyNumber: 1",
          "onlyNumber: 2",
          "single: b",
          "single: c",
          "shared: b",
          "ref: ldap://y",
          "old: a",
          "street: a",
          "sn: a",
          "sn;binary: a",
          "nope: a",
          "creatorsName: cn=x",
          "certificateRevocationList;binary: 0.",
          "userPassword: {CRYPT}$6$rounds=999999999$salt$x",
          "description: " + many(VALUES));

  private static final List<String> NAMES =
      List.of("cn=#", "ou=#", "raw=#", "cn=#+single=z", "description=#", "cn=#+shared=x", "sn=#");

  private static Candidate mutated(Random random) {
    Candidate candidate = SOUND.get(random.nextInt(SOUND.size()));
    String rdn = candidate.rdn();
    List<String> lines = new ArrayList<>(candidate.lines());
    for (int i = random.nextInt(4); i > 0; i--) {
      switch (random.nextInt(5)) {
        case 0 -> rdn = NAMES.get(random.nextInt(NAMES.size()));
        case 1 -> lines.remove(random.nextInt(lines.size()));
        case 2 -> lines.add(lines.get(random.nextInt(lines.size())));
        default -> lines.addAll(List.of(PIECES.get(random.nextInt(PIECES.size())).split("; ")));
      }
      if (lines.isEmpty()) {
        lines.add("cn: a");
      }
    }
    return new Candidate(rdn, lines);
  }
}
