package org.nyala.loadtest.generate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.RDN;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class GenerationTest {
  private static final String[] PEOPLE = {
    "define suffix=dc=example,dc=com",
    "define maildomain=example.com",
    "define numusers=40",
    "",
    "branch: [suffix]",
    "",
    "branch: ou=People,[suffix]",
    "subordinateTemplate: person:[numusers]",
    "",
    "template: person",
    "rdnAttr: uid",
    "objectClass: top",
    "objectClass: person",
    "objectClass: organizationalPerson",
    "objectClass: inetOrgPerson",
    "givenName: <first>",
    "sn: <last>",
    "cn: {givenName} {sn}",
    "initials: {givenName:1}<random:chars:ABCDEFGHIJKLMNOPQRSTUVWXYZ:1>{sn:1}",
    "employeeNumber: <sequential:0>",
    "uid: user.{employeeNumber}",
    "mail: {uid}@[maildomain]",
    "userPassword: password",
    "telephoneNumber: <random:telephone>",
    "street: <random:numeric:5> <file:streets> Street",
    "l: <file:cities>",
    "st: <file:states>",
    "postalCode: <random:numeric:5>",
    "postalAddress: {cn}${street}${l}, {st}  {postalCode}",
    "description: This is the description for {cn}.",
  };

  private static List<String> tag(String value, int count) throws Exception {
    return GeneratedLdif.of(
            "branch: o=x",
            "subordinateTemplate: one:" + count,
            "",
            "template: one",
            "rdnAttr: cn",
            "cn: <sequential>",
            "other: yes",
            "sn: Müller",
            "description: " + value)
        .values("description");
  }

  @Test
  void shouldMakeThePeopleOfATemplateOfMakeldif() throws Exception {
    GeneratedLdif made = GeneratedLdif.of(PEOPLE);

    assertThat(made.names())
        .hasSize(42)
        .startsWith(
            "dc=example,dc=com",
            "ou=People,dc=example,dc=com",
            "uid=user.0,ou=People,dc=example,dc=com")
        .endsWith("uid=user.39,ou=People,dc=example,dc=com");
    assertThat(made.entries().get("dc=example,dc=com"))
        .isEqualTo(Map.of("objectclass", List.of("top", "domain"), "dc", List.of("example")));
    assertThat(made.entries().get("ou=People,dc=example,dc=com"))
        .containsEntry("objectclass", List.of("top", "organizationalUnit"))
        .containsEntry("ou", List.of("People"));
    Map<String, List<String>> person = made.entries().get("uid=user.7,ou=People,dc=example,dc=com");
    String cn = person.get("givenname").getFirst() + " " + person.get("sn").getFirst();
    assertThat(person.get("objectclass")).hasSize(4);
    assertThat(person.get("cn")).containsExactly(cn);
    assertThat(person.get("mail")).containsExactly("user.7@example.com");
    assertThat(person.get("initials").getFirst()).matches(".[A-Z].").startsWith(cn.substring(0, 1));
    assertThat(person.get("telephonenumber").getFirst()).matches("\\+1 \\d{3} \\d{3} \\d{4}");
    assertThat(person.get("street").getFirst()).matches("\\d{5} \\w+ Street");
    assertThat(person.get("postaladdress").getFirst())
        .isEqualTo(
            cn
                + "$"
                + person.get("street").getFirst()
                + "$"
                + person.get("l").getFirst()
                + ", "
                + person.get("st").getFirst()
                + "  "
                + person.get("postalcode").getFirst());
    assertThat(new HashSet<>(made.values("cn"))).hasSize(40);
  }

  @Test
  void shouldMakeTheSameAgainWithTheSameSeedOnly() throws Exception {
    DirectoryTemplate template = GeneratedLdif.template(PEOPLE);
    String first = GeneratedLdif.of(template, 5).text();
    assertThat(GeneratedLdif.of(GeneratedLdif.template(PEOPLE), 5).text()).isEqualTo(first);
    assertThat(GeneratedLdif.of(template, 6).text())
        .isNotEqualTo(first)
        .hasLineCount((int) first.lines().count());
  }

  @Test
  void shouldMakeTheSampleWithoutATemplate() throws Exception {
    GeneratedLdif made =
        GeneratedLdif.of(TemplateReader.read(null, Map.of("numusers", "200"), 0), 0);

    assertThat(made.names()).hasSize(213).contains("uid=user.199,ou=People,dc=example,dc=com");
    Map<String, List<String>> group = made.entries().get("cn=team.3,ou=Groups,dc=example,dc=com");
    assertThat(group.get("member")).hasSize(50).doesNotHaveDuplicates();
    assertThat(made.entries()).containsKeys(group.get("member").toArray(String[]::new));
    String stored =
        made.entries()
            .get("uid=user.17,ou=People,dc=example,dc=com")
            .get("userpassword")
            .getFirst();
    byte[] hash = Base64.getDecoder().decode(stored.substring("{SSHA}".length()));
    MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
    sha1.update("password.17".getBytes(UTF_8));
    assertThat(sha1.digest(Arrays.copyOfRange(hash, 20, hash.length)))
        .isEqualTo(Arrays.copyOf(hash, 20));
  }

  @Test
  void shouldKnowEveryTag() throws Exception {
    assertThat(tag("<random:alpha:6>", 50)).allMatch(v -> v.matches("[a-z]{6}"));
    assertThat(tag("<random:alpha:2:4>", 50)).allMatch(v -> v.matches("[a-z]{2,4}"));
    assertThat(tag("<random:alphanumeric:9>", 50)).allMatch(v -> v.matches("[a-z0-9]{9}"));
    assertThat(tag("<Random:Hex:8>", 50)).allMatch(v -> v.matches("[0-9a-f]{8}"));
    assertThat(tag("<random:base64:8>", 50)).allMatch(v -> v.matches("[A-Za-z0-9+/]{8}"));
    assertThat(tag("<random:chars:xy:3>", 50)).allMatch(v -> v.matches("[xy]{3}"));
    assertThat(tag("<random:numeric:4>", 50)).allMatch(v -> v.matches("\\d{4}"));
    assertThat(new HashSet<>(tag("<random:numeric:8:10>", 99))).containsOnly("8", "9", "10");
    assertThat(tag("<random:numeric:1:99:0000>", 50)).allMatch(v -> v.matches("00\\d\\d"));
    assertThat(new HashSet<>(tag("<random:month:3>", 400))).hasSize(12).contains("Jan", "Dec");
    assertThat(tag("<random:timestamp:20200101000000Z:20200101000001Z>", 50))
        .contains("20200101000000Z", "20200101000001Z")
        .allMatch(v -> v.matches("2020010100000[01]Z"));
    assertThat(tag("<guid>", 20)).doesNotHaveDuplicates().allMatch(v -> v.length() == 36);
    assertThat(tag("<dn>|<dn:1>|<dn:-1>|<_dn>|<rdn>|<parentdn>|<_parentdn>", 1))
        .containsExactly("cn=0,o=x|cn=0|o=x|cn=0_o=x|cn=0|o=x|o=x");
    assertThat(tag("{cn}-{sn:2}-{other:9}", 1)).containsExactly("0-Mü-yes");
    assertThat(tag("<sequential:7>/<sequentialnumber:1:false>", 2)).containsExactly("7/1", "8/2");
    assertThat(tag("<statictext:abc>\\<\\{\\\\", 1)).containsExactly("abc<{\\");
    assertThat(tag("<base64:{sn}>", 1)).containsExactly("TcO8bGxlcg==");
    assertThat(tag("<base64:ISO-8859-1:{sn}>", 1)).containsExactly("TfxsbGVy");
    assertThat(tag("<ifpresent:other>x", 3)).hasSize(3);
    assertThat(tag("<ifpresent:other:yes>x", 3)).hasSize(3);
    assertThat(tag("<ifpresent:other:no>x", 3)).isEmpty();
    assertThat(tag("<ifabsent:other>x", 3)).isEmpty();
    assertThat(tag("<ifabsent:other:no>x", 3)).hasSize(3);
    assertThat(tag("<presence:0>x", 99)).isEmpty();
    assertThat(tag("<presence:100>x", 99)).hasSize(99);
    assertThat(tag("n<loop:3:5>", 2)).containsExactly("n3", "n4", "n5", "n3", "n4", "n5");
    assertThat(tag("<file:states:sequential>", 52)).startsWith("AK", "AL").endsWith("AK", "AL");
    assertThat(tag("a:: b <list:x y>", 1)).containsExactly("a:: b x y");
  }

  @Test
  void shouldKnowPlaceholdersOfPatterns() throws Exception {
    assertThat(tag("{n}-{rand(3,4)}-{randstr(2,[A-C])}", 9))
        .allMatch(v -> v.matches("\\d-[34]-[A-C]{2}"))
        .element(8)
        .asString()
        .startsWith("8-");
    assertThat(tag("{inc(1,3)}", 4)).containsExactly("2", "3", "1", "2");
    assertThat(tag("{pick(a=1,b=1)}", 60)).contains("a", "b");
    assertThat(tag("{uuid}", 9)).doesNotHaveDuplicates();
  }

  /** Shares within five standard deviations, so that one seed in a million would fail. */
  @Test
  void shouldKeepTheSharesOfDistributions() throws Exception {
    int count = 10_000;
    assertThat(share(tag("<list:a;70:b;30>", count), "a")).isBetween(0.677, 0.723);
    assertThat(share(tag("<list:a:70,b:30>", count), "a")).isBetween(0.677, 0.723);
    assertThat(share(tag("<list:a,b>", count), "a")).isBetween(0.475, 0.525);
    assertThat(share(tag("<list:a:b>", count), "a")).isBetween(0.475, 0.525);
    assertThat(tag("<presence:30>x", count).size() / (double) count).isBetween(0.277, 0.323);
    double[] normal =
        tag("<random:normal:1000:100>", count).stream().mapToDouble(Double::parseDouble).toArray();
    double mean = Arrays.stream(normal).average().orElseThrow();
    double variance = Arrays.stream(normal).map(v -> (v - mean) * (v - mean)).sum() / count;
    assertThat(mean).isBetween(995.0, 1005.0);
    assertThat(Math.sqrt(variance)).isBetween(96.4, 103.6);
    assertThat(tag("<random:normal:50:100:40:60>", 500))
        .contains("40", "60")
        .allMatch(v -> Integer.parseInt(v) >= 40 && Integer.parseInt(v) <= 60);
    List<String> ranks = tag("<random:zipf:1:1000:1>", count);
    // The harmonic number of 1000 is 7.485.
    assertThat(share(ranks, "1")).isBetween(0.1166, 0.1506);
    assertThat(share(ranks, "2")).isBetween(0.0543, 0.0793);
    assertThat(share(tag("<file:states:zipf:1>", count), "AK")).isBetween(0.1993, 0.2453);
  }

  private static double share(List<String> values, String value) {
    return values.stream().filter(value::equals).count() / (double) values.size();
  }

  @Test
  void shouldEscapeNames() throws Exception {
    GeneratedLdif made =
        GeneratedLdif.of(
            "branch: o=a\\,b",
            "subordinateTemplate: odd:2",
            "",
            "template: odd",
            "rdnAttr: cn+sn",
            "sn:  a,b+c\"d\\\\e",
            "cn: #<sequential>=é ",
            "description: <parentdn>");
    assertThat(made.names().get(1)).isEqualTo("cn=\\#0\\=é\\ +sn=a\\,b\\+c\\\"d\\\\e,o=a\\,b");
    RDN rdn = new DN(made.names().get(1)).getRDN();
    assertThat(rdn.getAttributeValues()).containsExactly("#0=é ", "a,b+c\"d\\e");
    assertThat(made.values("description")).containsOnly("o=a\\,b");
    assertThat(made.values("o")).containsExactly("a,b");
  }

  @Test
  void shouldMakeGroupsOfAnySize() throws Exception {
    GeneratedLdif made =
        GeneratedLdif.of(
            "branch: ou=Groups,o=x",
            "subordinateTemplate: all:1",
            "subordinateTemplate: some:30",
            "",
            "branch: o=x",
            "subordinateTemplate: unit:20",
            "",
            "template: unit",
            "rdnAttr: ou",
            "ou: unit <sequential>",
            "subordinateTemplate: person:5",
            "",
            "template: person",
            "rdnAttr: uid",
            "uid: p<sequential:1:false>",
            "manager: <presence:50><member:person>",
            "",
            "template: all",
            "rdnAttr: cn",
            "cn: all",
            "member: <member:person:all>",
            "",
            "template: some",
            "rdnAttr: cn",
            "cn: some<sequential>",
            "first: {cn}",
            "member: <member:person:2:40>",
            "seeAlso: <member:unit:0:3:zipf:2>");
    List<String> people = made.names().stream().filter(name -> name.startsWith("uid=")).toList();
    assertThat(people)
        .hasSize(100)
        .startsWith("uid=p1,ou=unit 0,o=x")
        .endsWith("uid=p100,ou=unit 19,o=x");
    assertThat(made.names()).startsWith("o=x", "ou=unit 0,o=x");
    assertThat(made.entries().get("cn=all,ou=Groups,o=x").get("member")).isEqualTo(people);
    Set<Integer> sizes = new HashSet<>();
    Set<String> first = new HashSet<>();
    for (int i = 0; i < 30; i++) {
      Map<String, List<String>> group = made.entries().get("cn=some" + i + ",ou=Groups,o=x");
      List<String> members = group.get("member");
      assertThat(members).hasSizeBetween(2, 40).doesNotHaveDuplicates();
      assertThat(people).containsAll(members);
      assertThat(made.names()).containsAll(group.getOrDefault("seealso", List.of()));
      sizes.add(members.size());
      first.add(members.getFirst());
    }
    assertThat(sizes).hasSizeGreaterThan(10);
    assertThat(first).hasSizeGreaterThan(10);
    assertThat(made.values("manager")).hasSizeBetween(25, 75).isSubsetOf(people);
  }

  @Test
  void shouldTakeLinesOfATemplateThatIsExtended() throws Exception {
    GeneratedLdif made =
        GeneratedLdif.of(
            "branch: o=x",
            "subordinateTemplate: child:2",
            "",
            "template: child",
            "extends: base",
            "description: {cn} and",
            "  more",
            "",
            "template: base",
            "# a comment",
            "rdnAttr: cn",
            "cn: c<sequential>");
    assertThat(made.names()).containsExactly("o=x", "cn=c0,o=x", "cn=c1,o=x");
    assertThat(made.values("description")).containsExactly("c0 and more", "c1 and more");
  }

  @Test
  void shouldLeaveUrlsAndBase64AsTheyAre() throws Exception {
    DirectoryTemplate template =
        GeneratedLdif.template(
            "branch: o=x", "description:: <base64:{o}!>", "seeAlso:< file:pom<list:x>ml");
    assertThat(GeneratedLdif.template("branch: o=x", "a: b").entries()).isOne();
    java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
    try (LdifOutput writer = new LdifOutput(out)) {
      new Generation(template, 0).write(writer);
    }
    assertThat(out.toString(UTF_8)).contains("\ndescription:: eCE=\n", "\nseeAlso:< file:pomxml\n");
  }

  /** Trees by chance, of which arithmetic says how many entries they have. */
  @RepeatedTest(20)
  void shouldMakeAsManyEntriesAsAnyTreeHas() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    List<String> lines = new ArrayList<>();
    int templates = 1 + random.nextInt(5);
    long[] sizes = new long[templates];
    for (int t = templates - 1; t >= 0; t--) {
      lines.add("template: t" + t);
      sizes[t] = 1;
      for (int below = 0; below < random.nextInt(3); below++) {
        if (t + 1 < templates) {
          int which = t + 1 + random.nextInt(templates - t - 1);
          int count = random.nextInt(4);
          sizes[t] += count * sizes[which];
          lines.add("subordinateTemplate: t" + which + ":" + count);
        }
      }
      lines.add("rdnAttr: cn");
      lines.add("number: <sequential:0:false>");
      lines.add("pattern: {n}");
      lines.add("cn: t" + t + ".<sequential>" + (random.nextBoolean() ? " <random:hex:4>" : ""));
      lines.add("member: <member:t" + random.nextInt(templates) + ":all>");
      lines.add("");
    }
    long expected = 0;
    int branches = 1 + random.nextInt(4);
    for (int b = 0; b < branches; b++) {
      int which = random.nextInt(templates);
      int count = random.nextInt(5);
      expected += 1 + count * sizes[which];
      lines.add("branch: ou=b" + b);
      lines.add("subordinateTemplate: t" + which + ":" + count);
      lines.add("");
    }

    GeneratedLdif made = GeneratedLdif.of(lines.toArray(String[]::new));

    String context = "seed " + seed + "\n" + String.join("\n", lines);
    assertThat(made.entries()).as(context).hasSize((int) expected);
    Set<String> seen = new HashSet<>();
    for (String name : made.names()) {
      String parent = name.substring(name.indexOf(',') + 1);
      assertThat(name.startsWith("ou=") || seen.contains(parent)).as(name + context).isTrue();
      seen.add(name);
    }
    assertThat(seen).as(context).containsAll(made.values("member"));
    assertThat(made.values("number")).as(context).isEqualTo(made.values("pattern"));
  }
}
