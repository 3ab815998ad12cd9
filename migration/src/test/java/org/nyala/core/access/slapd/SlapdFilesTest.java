package org.nyala.core.access.slapd;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;
import org.nyala.core.slapd.InvalidSlapdFileException;

/** Tests the reader of slapd's configuration in all its forms, its bounds and its faults. */
class SlapdFilesTest {
  private static final Schema SCHEMA = SchemaLoader.standard();
  private static final int MUTATIONS = 1_500;

  private static final String LDIF =
      """
      dn: cn=config
      objectClass: olcGlobal
      cn: config

      # AUTO-GENERATED FILE
      dn: olcDatabase={1}mdb,cn=config
      objectClass: olcDatabaseConfig
      objectClass: olcMdbConfig
      olcDatabase: {1}mdb
      olcSuffix: dc=example,dc=com
      olcAccess: {10}to * by users read
      olcAccess: {0}to attrs=userPassword by self write by anonymous auth b
       y * none
      olcAccess:: ENCODED
      olcLimits: {0}users size=7

      dn: olcDatabase={-1}frontend,cn=config
      olcDatabase: {-1}frontend
      olcAccess: {0}to dn.base="" by * read
      """
          .replace(
              "ENCODED",
              Base64.getEncoder()
                  .encodeToString("{2}to attrs=mail\n by * none".getBytes(ISO_8859_1)));

  @TempDir Path folder;

  private Path file(String name, String content) throws Exception {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, content);
  }

  private static List<String> statements(ImportedRules rules) {
    return rules.text().lines().filter(line -> line.matches("(to|limit) .*")).toList();
  }

  @Test
  void shouldReadWhatSlapcatWrites() throws Exception {
    ImportedRules rules = SlapdImport.read(file("config.ldif", LDIF), SCHEMA);

    assertThat(statements(rules))
        .containsExactly(
            "to subtree \"dc=example,dc=com\" attributes userPassword",
            "to subtree \"dc=example,dc=com\" attributes mail",
            "to subtree \"dc=example,dc=com\"",
            "to subtree \"cn=Monitor\"",
            "to entry \"\"",
            "limit users entries 7");
    assertThat(rules.text())
        .contains("# config.ldif:12: olcAccess: to attrs=userPassword by self write")
        .contains("# config.ldif:14: olcAccess: to attrs=mail\n#    by * none\n");
    assertThat(rules.unsaid()).isEmpty();
  }

  @Test
  void shouldReadTheFolderOfSlapd() throws Exception {
    String[] records = LDIF.split("\n\n", -1);
    file("slapd.d/cn=config.ldif", records[0] + "\n");
    file("slapd.d/cn=config/olcDatabase={1}mdb.ldif", records[1].replace(",cn=config", "") + "\n");
    file("slapd.d/cn=config/olcDatabase={-1}frontend.ldif", records[2]);
    file("slapd.d/cn=config/olcDatabase={1}mdb/olcOverlay={0}memberof.ldif", "dn: cn=x\ncn: x\n");

    ImportedRules rules = SlapdImport.read(folder.resolve("slapd.d"), SCHEMA);

    assertThat(statements(rules)).hasSize(6);
    assertThat(rules.text()).contains("# olcDatabase={1}mdb.ldif:8: olcAccess: to attrs=user");
  }

  @Test
  void shouldReadIncludedFiles() throws Exception {
    file("rules/global.conf", "access to dn.base=\"\" by * read\n");
    Path conf = file("slapd.conf", "include rules/global.conf\ninclude nowhere/core.schema\n");

    assertThat(SlapdImport.read(conf, SCHEMA).text())
        .contains("# global.conf:1: access to dn.base");
    Path broken = file("other.conf", "include rules/missing.conf\n");
    assertThatThrownBy(() -> SlapdImport.read(broken, SCHEMA))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void shouldRefuseFilesThatIncludeEachOther() throws Exception {
    Path conf = file("slapd.conf", "include slapd.conf\n");

    assertThatThrownBy(() -> SlapdImport.read(conf, SCHEMA))
        .isInstanceOf(InvalidSlapdFileException.class)
        .hasMessage("slapd.conf:1: too many files that include each other");
  }

  @Test
  void shouldRefuseMoreThanTheBounds() throws Exception {
    Path many = file("many.conf", "access to * by * read\n".repeat(10_001));
    assertThatThrownBy(() -> SlapdImport.read(many, SCHEMA))
        .hasMessage("many.conf:10001: more than 10000 rules and limits");
    Path databases = file("databases.conf", "database mdb\n".repeat(1_001));
    assertThatThrownBy(() -> SlapdImport.read(databases, SCHEMA))
        .hasMessage("databases.conf:1001: more than 1000 databases");
    Path large = file("large.conf", "#".repeat((16 << 20) + 1));
    assertThatThrownBy(() -> SlapdImport.read(large, SCHEMA))
        .hasMessage("large.conf:1: a file of more than 16777216 bytes");
    file("part.conf", "#".repeat(15 << 20));
    Path often = file("often.conf", "include part.conf\n".repeat(5));
    assertThatThrownBy(() -> SlapdImport.read(often, SCHEMA))
        .hasMessage("often.conf:5: files of more than 67108864 bytes in all");
    Path empty = Files.createDirectory(folder.resolve("empty"));
    assertThatThrownBy(() -> SlapdImport.read(empty, SCHEMA))
        .hasMessage("empty:1: 0 files of LDIF, expected 1 to 10000");
    Path longRule = file("long.conf", "access to *" + " by users read".repeat(501));
    assertThat(SlapdImport.read(longRule, SCHEMA).unsaid())
        .singleElement()
        .asString()
        .startsWith("long.conf:1: nobody gets anything: found more than 500 clauses");
  }

  @Test
  void shouldRefuseDirectivesInOtherEncodingsOnly() throws Exception {
    Path comment = folder.resolve("comment.conf");
    Files.write(comment, "# Z\u00fcrich\naccess to * by * read\n".getBytes(ISO_8859_1));
    assertThat(SlapdImport.read(comment, SCHEMA).unsaid()).isEmpty();
    Path name = folder.resolve("name.conf");
    Files.write(name, "access to dn.base=\"l=Z\u00fcrich\" by * read\n".getBytes(ISO_8859_1));
    assertThatThrownBy(() -> SlapdImport.read(name, SCHEMA))
        .hasMessage("name.conf:1: a directive that is not UTF-8");
  }

  @Test
  void shouldNotTakeOverControlCharactersInFilters() throws Exception {
    Path rule = file("zero.conf", "access to filter=\"(cn=a\0)\" by users read\n");
    ImportedRules rules = SlapdImport.read(rule, SCHEMA);
    assertThat(rules.text()).doesNotContain("\0");
    assertThat(rules.unsaid()).singleElement().asString().contains("filter=");
  }

  @Test
  void shouldEndWithNothingButDefinedFaults() throws Exception {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    String conf =
        SlapdImportTest.cases().map(SlapdImportTest.Case::input).collect(Collectors.joining());
    for (int i = 0; i < MUTATIONS; i++) {
      String whole = random.nextInt(8) == 0 ? LDIF : conf;
      int start = random.nextInt(whole.length());
      StringBuilder text =
          new StringBuilder(
              whole.equals(LDIF)
                  ? LDIF
                  : whole.substring(start, Math.min(whole.length(), start + 900)));
      for (int j = random.nextInt(6); j >= 0 && !text.isEmpty(); j--) {
        int at = random.nextInt(text.length());
        switch (random.nextInt(3)) {
          case 0 -> text.deleteCharAt(at);
          case 1 -> text.insert(at, "\"\\ \n\t${}()[],.=*@!%+\0\ud83d".charAt(random.nextInt(22)));
          default -> text.insert(at, text.substring(at, Math.min(text.length(), at + 20)));
        }
      }
      Path file = folder.resolve("fuzz");
      Files.write(file, text.toString().getBytes(UTF_8));
      try {
        ImportedRules rules = SlapdImport.read(file, SCHEMA);
        assertThat(rules.text()).doesNotContain("\r", "\0");
      } catch (InvalidSlapdFileException | IOException e) {
        assertThat(e).hasMessageNotContaining("\n");
      } catch (RuntimeException e) {
        throw new AssertionError("-Dtest.seed=" + seed + "\n" + text, e);
      }
    }
  }
}
