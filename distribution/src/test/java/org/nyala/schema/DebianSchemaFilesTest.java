package org.nyala.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.schema.InvalidSchemaException;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SecretTypes;
import org.nyala.core.schema.load.OwnSchema;
import org.nyala.core.schema.load.SchemaFolders;
import org.nyala.core.schema.load.SchemaLoader;

/**
 * The schema files of Debian's packages: those of slapd, which has to be installed, and those of
 * others that {@code src/test/debian/schemas} has fetched, if it was run.
 */
class DebianSchemaFilesTest {
  private static final Path OF_SLAPD = Path.of("/etc/ldap/schema");
  private static final Path OF_OTHERS = Path.of("target/debian-schemas");

  /** Files of slapd. */
  private static final List<String> NAMES_OF_SLAPD =
      List.of("core.schema", "cosine.schema", "inetorgperson.schema", "nis.schema", "nis.ldif");

  /** Files of sudo, Samba, FreeRADIUS, DHCP, autofs and others. */
  private static final List<String> NAMES_OF_OTHERS =
      List.of(
          "sudo.schema",
          "sudo-of-cn-config.ldif",
          "samba.schema",
          "freeradius.schema",
          "freeradius-clients.schema",
          "dhcp.schema",
          "autofs.schema",
          "kerberos.schema",
          "evolutionperson.schema",
          "quota.schema",
          "amavis.schema",
          "samba3.schema",
          "trust.schema",
          "rfc2307bis.schema");

  /** Shipped files whose place others take. */
  private static final Map<String, List<String>> WITHOUT =
      Map.of("rfc2307bis.schema", List.of("nis", "namedobject"));

  @TempDir Path folder;

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> listed = Files.list(folder)) {
      return listed.filter(file -> file.toString().matches(".*\\.(schema|ldif)")).sorted().toList();
    }
  }

  private static List<Path> all() throws IOException {
    List<Path> all = new ArrayList<>(files(OF_SLAPD));
    if (Files.isDirectory(OF_OTHERS)) {
      all.addAll(files(OF_OTHERS));
    }
    return all;
  }

  private static Schema load(Path folder, List<String> notes) throws IOException {
    return load(folder, List.of(), notes);
  }

  private static Schema load(Path folder, List<String> without, List<String> notes)
      throws IOException {
    OwnSchema own = new OwnSchema(List.of(folder), List.of(), List.of(), without);
    return SchemaFolders.load(null, own, SecretTypes.DEFAULT, notes::add);
  }

  @Test
  void shouldLoadEachFile() throws IOException {
    List<String> refused = new ArrayList<>();
    for (Path file : all()) {
      Path alone = Files.createDirectory(folder.resolve(file.getFileName() + "-alone"));
      Files.copy(file, alone.resolve(file.getFileName()));
      try {
        load(
            alone,
            WITHOUT.getOrDefault(file.getFileName().toString(), List.of()),
            new ArrayList<>());
      } catch (InvalidSchemaException e) {
        refused.add(e.getMessage());
      }
    }

    assertThat(all()).hasSizeGreaterThan(20);
    assertThat(refused).isEmpty();
  }

  /** Fails if an expected file is missing, which would not be noticed otherwise. */
  @Test
  void shouldTryTheFilesOfThesePackages() throws IOException {
    List<String> tried = all().stream().map(file -> file.getFileName().toString()).toList();

    assertThat(tried).containsAll(NAMES_OF_SLAPD);
    if (Files.isDirectory(OF_OTHERS)) {
      assertThat(tried).containsAll(NAMES_OF_OTHERS);
    } else {
      System.out.println(
          "Not tried, as src/test/debian/schemas has not fetched them: "
              + String.join(", ", NAMES_OF_OTHERS));
    }
  }

  @Test
  void shouldLoadAllFilesOfSlapdTogether() throws IOException {
    List<String> notes = new ArrayList<>();

    Schema schema = load(OF_SLAPD, notes);

    assertThat(schema.objectClass("namedPolicy").superiors())
        .containsExactly(schema.objectClass("namedObject"));
    assertThat(schema.attributeType("sudoUser")).isNotNull();
    assertThat(notes).anyMatch(note -> note.endsWith(" is read instead of nis.schema"));
  }

  /** Under other names the files stand beside the shipped ones, whose place none of them takes. */
  @Test
  void shouldHaveTheDefinitionsOfSlapd() throws IOException {
    for (Path file : files(OF_SLAPD)) {
      String name = file.getFileName().toString();
      Files.copy(file, folder.resolve("copy-of-" + name));
    }
    List<String> optional =
        SchemaLoader.optionalNames().stream().filter(each -> !each.equals("rfc2307bis")).toList();
    for (List<String> with : List.of(List.<String>of(), optional)) {
      List<String> notes = new ArrayList<>();
      OwnSchema own = new OwnSchema(List.of(folder), List.of(), with, List.of());
      Schema schema = SchemaFolders.load(null, own, SecretTypes.DEFAULT, notes::add);

      assertThat(schema.objectClass("namedObject").oid()).isEqualTo("1.3.6.1.4.1.5427.1.389.6.20");
      assertThat(notes).noneMatch(note -> note.contains(" replaces "));
    }
  }

  @Test
  void shouldShipAFileUnderEachOfTheNamesOfSlapd() throws IOException {
    List<String> shipped = new ArrayList<>(SchemaLoader.bundledNames());
    SchemaLoader.optionalNames().forEach(name -> shipped.add(name + ".schema"));
    List<String> ofSlapd =
        files(OF_SLAPD).stream()
            .map(file -> file.getFileName().toString())
            .filter(name -> name.endsWith(".schema"))
            .toList();

    assertThat(ofSlapd).hasSizeGreaterThan(12);
    assertThat(shipped).containsAll(ofSlapd);
  }
}
