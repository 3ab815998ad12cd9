package org.nyala.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.build.ShippedConfiguration;
import org.nyala.config.ConfigurationFile;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;

class ConfigCommandTest {

  private static final String SUFFIX = "nyala.suffixes = [\"dc=a\"]";

  @TempDir Path folder;

  private Path shipped() throws IOException {
    return Files.write(folder.resolve("shipped.conf"), ShippedConfiguration.lines(Path.of("..")));
  }

  private final LocalCommands nyala = new LocalCommands();

  private String file(String text) throws IOException {
    return Files.writeString(folder.resolve("nyala.conf"), text).toString();
  }

  @Test
  void shouldFindTheShippedFileSound() throws IOException {
    String data = folder.resolve("data").toString();
    String conf = file(Files.readString(shipped()) + SUFFIX);
    assertThat(nyala.run("config", "check", "--config", conf, "--data", data))
        .as(nyala.err())
        .isEqualTo(ExitCode.OK);
    assertThat(nyala.out())
        .startsWith("the configuration is sound: ")
        .contains(
            "a start makes an empty directory in " + data,
            "\nchecked: names and values of keys, schema files,",
            "to serve\nnot checked: ports, folders ");
  }

  @Test
  void shouldSayThatVirtualThreadsAreNotMeasured() throws IOException {
    String data = folder.resolve("data").toString();
    for (String strategy : DispatchStrategies.OFFERED) {
      String conf = file(SUFFIX + "\nnyala.dispatch.strategy = " + strategy);
      assertThat(nyala.run("config", "check", "--config", conf, "--data", data)).isZero();
      assertThat(nyala.out().contains("without effect: limits.memory.operationMebibytes"))
          .as(strategy)
          .isEqualTo(!DispatchStrategies.measuresAllocation(strategy));
    }
  }

  /** As a start of an image does, whose configuration names neither data nor suffixes. */
  @Test
  void shouldRefuseWhatAStartRefuses() {
    Path shipped = Path.of("src/packaging/conf/container/nyala.conf");
    for (String command : List.of("config check", "serve")) {
      List<String> words = new ArrayList<>(List.of(command.split(" ")));
      words.addAll(List.of("--config", shipped.toString(), "--data", folder + "/data"));
      assertThat(nyala.run(words.toArray(String[]::new))).as(command).isEqualTo(ExitCode.USAGE);
      assertThat(nyala.err())
          .startsWith("nyala: there is no directory data in " + folder + "/data: ")
          .contains("nyala.suffixes");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "root { dn = x, password = y }|nyala.root.dn: expected a DN, found 'x'",
        "root { dn = \"cn=x\", password = \"{ROT13}y\" }|nyala.root.password: the text after the"
            + " scheme",
        "access.writers = [\"cn=a\", b]|nyala.access.writers: expected a DN, found 'b'",
        "suffixes = [\"dc=a\", oops]|nyala.suffixes: expected a DN, found 'oops'",
        "indexes { nobody = [eq] }|nyala.indexes.nobody: index on an unknown attribute type:"
            + " nobody",
        "uniqueness = [{ attributes = [nobody] }]|nyala.uniqueness: the schema has no attribute"
            + " type nobody",
        "uniqueness = [{ attributes = [uid], filter = \"(x\" }]|nyala.uniqueness: filter (x: ",
        "uniqueness = [{ attributes = [roomNumber] }]|nyala.uniqueness: roomNumber has no equality"
            + " index",
        "suffixes = [\"dc=a\", \"dc=b\"], replication { provider = \"ldap://127.0.0.1\", suffixes ="
            + " [\"dc=c\"], bind.mechanism = anonymous }|nyala.replication.suffixes: 'dc=c' is no"
            + " naming context of this server",
        "suffixes = [\"dc=a\"], indexes { uid = [eq] }, replication { provider ="
            + " \"ldap://127.0.0.1\", bind.mechanism = anonymous }|nyala.replication.provider: a"
            + " copy needs an index on entryUUID",
        "suffixes = [\"dc=a\"], replication { provider = \"ldaps://127.0.0.1\", tls.trust ="
            + " missing.pem, bind.mechanism = anonymous }|nyala.replication.tls",
        "suffixes = [\"dc=a\"], replication { provider = \"ldap://127.0.0.1\", bind { mechanism ="
            + " GSSAPI, user = a, keytab = missing.keytab } }|nyala.replication.bind.keytab: ",
        "suffixes = [\"dc=a\"], listeners = [\"ldap://0.0.0.0:1389\"], replication { provider ="
            + " \"ldap://localhost:1389\", bind.mechanism = anonymous }"
            + "|nyala.replication.provider: this is a listener of this server",
        "suffixes = [\"dc=a\"], listeners = [\"ldap://0.0.0.0:1389\"], replication { provider ="
            + " \"ldap://localhost\", referTo = \"ldap://127.0.0.1:1389\", bind.mechanism ="
            + " anonymous }|nyala.replication.referTo: this is a listener of this server",
        "memberOf { enabled = true, groupAttributes = [cn] }|nyala.memberOf.groupAttributes: cn is"
            + " not",
        "referentialIntegrity { attributes = [cn] }|nyala.referentialIntegrity.attributes: cn is"
            + " not"
      })
  void shouldSayWhereItNamesWhatIsNotThere(String setting, String complaint) throws IOException {
    String file = file("nyala {\n\ndata = " + folder + "\n" + setting + "\n}\n");
    assertThat(nyala.run("config", "check", "--config", file)).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).startsWith("nyala: " + file + ":4: " + complaint).hasLineCount(1);
  }

  @Test
  void shouldRefuseMistakesInAllThatItListsAsChecked() throws IOException {
    Path schema = Files.createDirectory(folder.resolve("schema"));
    Files.writeString(schema.resolve("bad.schema"), "attributetype ( 1.2.3 NAME 'x' SUP none )");
    Path rules = Files.writeString(folder.resolve("bad.rules"), "to nobody\n");
    Map<String, List<String>> mistakes =
        Map.of(
            "names and values of keys", List.of("readOnli = true", "readOnly = maybe"),
            "schema files", List.of("schema.folders = [\"" + schema + "\"]"),
            "access rules", List.of("access.rules = \"" + rules + "\""),
            "DNs", List.of("suffixes = [oops]", "root { dn = x, password = y }"),
            "attributes and filters in them",
                List.of(
                    "uniqueness = [{ attributes = [nobody] }]",
                    "uniqueness = [{ attributes = [uid], filter = \"(x\" }]"),
            "indexes", List.of("indexes { nobody = [eq] }", "indexes { uid = [odd] }"),
            "certificates and keys",
                List.of(
                    "tls.certificate = missing.pem",
                    "management { http = \"127.0.0.1:0\", httpTls = true"
                        + ", tls.certificate = missing.pem }"),
            "data or suffixes to serve", List.of("suffixes = []", "store.create = never"));
    String data = folder.resolve("data").toString();
    nyala.run("config", "check", "--config", file(SUFFIX), "--data", data);
    String checked =
        nyala.out().lines().filter(line -> line.startsWith("checked: ")).findAny().get();
    assertThat(checked.substring("checked: ".length()).split(", "))
        .containsExactlyInAnyOrderElementsOf(mistakes.keySet());
    for (String mistake : mistakes.values().stream().flatMap(List::stream).toList()) {
      String file = file(SUFFIX + "\nnyala { " + mistake + " }");
      assertThat(nyala.run("config", "check", "--config", file, "--data", data))
          .as(mistake)
          .isEqualTo(ExitCode.USAGE);
      assertThat(nyala.err()).as(mistake).startsWith("nyala: ").hasLineCount(1);
    }
  }

  @Test
  void shouldMissIndexesBeforeAnImportMakesDataWithoutThem() throws IOException {
    String rules =
        SUFFIX + ", nyala.referentialIntegrity.attributes = [owner]\nnyala.memberOf.enabled = true";
    String data = folder.resolve("data").toString();
    String file = file(rules);
    assertThat(nyala.run("config", "check", "--config", file, "--data", data))
        .as(nyala.err())
        .isEqualTo(ExitCode.OK);
    file = file(rules + "\nnyala.indexes { member = [eq], uniqueMember = [eq], owner = [pres] }");
    assertThat(nyala.run("config", "check", "--config", file, "--data", data))
        .isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err())
        .contains(":1: nyala.referentialIntegrity.attributes: owner has no equality index");
  }

  @Test
  void shouldLookIntoTheDataThatIsThere() throws IOException {
    String data = folder.resolve("data").toString();
    String ldif = folder.resolve("a.ldif").toString();
    nyala.run("sample", "--entries", "5", "-o", ldif);
    nyala.run("import", ldif, "--data", data);
    String file = file("nyala.uniqueness = [{ attributes = [uid] }]");
    assertThat(nyala.run("config", "check", "--config", file, "--data", data))
        .isEqualTo(ExitCode.OK);
    assertThat(nyala.out())
        .doesNotContain("no data")
        .contains("2 of them given", "to serve, naming contexts and indexes of the data\n");
    file = file("nyala.uniqueness = [{ attributes = [roomNumber] }]");
    assertThat(nyala.run("config", "check", "--config", file, "--data", data))
        .isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains(":1: nyala.uniqueness: roomNumber has no equality index");
    file = file("nyala.suffixes = [\"dc=other\"]");
    assertThat(nyala.run("config", "check", "--config", file, "--data", data))
        .isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err()).contains(":1: nyala.suffixes: ").contains("'dc=example,dc=com'");
  }

  @Test
  void shouldShowEveryKeyWithItsOrigin() throws IOException {
    String file =
        file("nyala {\n readOnly = true\n root { dn = \"cn=x\", password = geheim }\n}\n");
    assertThat(
            nyala.run(
                "config", "show", "--config", file, "--data", "/d", "--listen=ldap://[::1]:7"))
        .isEqualTo(ExitCode.OK);
    assertThat(nyala.out().lines())
        .contains(
            "nyala.readOnly = true  # " + file + ":2",
            "nyala.data = \"/d\"  # command line",
            "nyala.listeners = [\"ldap://[::1]:7\"]  # command line",
            "nyala.root.dn = \"cn=x\"  # " + file + ":3",
            "# nyala.root.password is not shown  # " + file + ":3",
            "nyala.limits.controls = 32  # default",
            "nyala.indexes.uid = [\"eq\",\"sub\"]  # default");
    assertThat(nyala.out()).doesNotContain("geheim");
    for (String key : ConfigurationFile.keys()) {
      assertThat(nyala.out()).contains(key);
    }
    assertThat(nyala.run("config", "show", "--changed", "--config", file)).isEqualTo(ExitCode.OK);
    assertThat(nyala.out()).hasLineCount(3);
  }

  @Test
  void shouldShowWhatCanBeReadAgain() throws IOException {
    assertThat(nyala.run("config", "show", "--config", shipped().toString()))
        .isEqualTo(ExitCode.OK);
    Path again = Files.writeString(folder.resolve("again.conf"), nyala.out());
    assertThat(ConfigurationFile.read(again, folder))
        .usingRecursiveComparison()
        // A log that somebody has configured has to be written, that of the shipped file if it can.
        .ignoringFields("settings", "logs.security.value.isRequired")
        .isEqualTo(ConfigurationFile.read(shipped(), folder));
  }

  @Test
  void shouldRefuseWrongUsage() throws IOException {
    assertThat(nyala.run("config")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.run("config", "look")).isEqualTo(ExitCode.USAGE);
    for (String option : List.of("--uniqueness=reject", "--suffix=dc=x", "--json")) {
      assertThat(nyala.run("config", "check", option)).isEqualTo(ExitCode.USAGE);
      assertThat(nyala.err()).contains("the options of an import need it");
    }
    assertThat(nyala.run("config", "check", "--changed", "--config", file("")))
        .isEqualTo(ExitCode.USAGE);
  }
}
