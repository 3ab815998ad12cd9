package org.nyala.cli.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.loadtest.cli.Main;
import org.nyala.process.LocalCommands;
import org.nyala.process.Processes;
import org.nyala.process.ServerProcess;

/** Loads what {@code nyala-loadtest generate} writes into this server and into Debian's slapd. */
@Timeout(300)
class GeneratedDataTest {
  private static final String SCHEMA =
      """
      attributetype ( 1.3.6.1.4.1.55555.1.1 NAME 'worksNumber' EQUALITY caseIgnoreMatch
          SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
      objectclass ( 1.3.6.1.4.1.55555.2.1 NAME 'worker' SUP top AUXILIARY MAY worksNumber )
      """;
  private static final String SLAPD =
      """
      include /etc/ldap/schema/core.schema
      include /etc/ldap/schema/cosine.schema
      include /etc/ldap/schema/nis.schema
      include /etc/ldap/schema/inetorgperson.schema
      include FOLDER/schema/works.schema
      modulepath /usr/lib/ldap
      moduleload back_mdb
      database mdb
      suffix "dc=example,dc=com"
      rootdn "cn=admin,dc=example,dc=com"
      directory FOLDER/slapd
      maxsize 104857600
      dbnosync
      """;
  private static final String TREE =
      """
      define suffix=dc=example,dc=com
      define units=20

      branch: [suffix]
      subordinateTemplate: unit:[units]

      branch: ou=Groups,[suffix]
      subordinateTemplate: group:7
      subordinateTemplate: everybody:1

      template: unit
      rdnAttr: ou
      objectClass: organizationalUnit
      ou: Unit <sequential:1>, <list:north:10,south:5>
      subordinateTemplate: worker:25

      template: entry
      objectClass: inetOrgPerson
      givenName: <first>
      sn: <last>
      cn: {givenName} {sn}

      template: worker
      extends: entry
      rdnAttr: cn+uid
      objectClass: worker
      uid: w<sequential:0:false>
      worksNumber: <presence:60>W-<random:numeric:6>
      employeeType: <ifpresent:worksNumber>numbered
      manager: <member:worker>
      description: <presence:30>Zoë says: \\<{cn:5}\\> <random:normal:40:10>
      l: <file:cities:zipf>

      template: group
      rdnAttr: cn
      objectClass: groupOfNames
      cn: group <sequential>
      member: <member:worker:1:200:zipf>

      template: everybody
      rdnAttr: cn
      objectClass: groupOfNames
      cn: all
      member: <member:worker:all>
      """;

  @TempDir Path folder;

  private final LocalCommands nyala = new LocalCommands();

  @BeforeEach
  void prepare() throws Exception {
    Files.createDirectories(folder.resolve("schema"));
    Files.createDirectories(folder.resolve("slapd"));
    Files.writeString(folder.resolve("schema/works.schema"), SCHEMA);
    Files.writeString(folder.resolve("slapd.conf"), SLAPD.replace("FOLDER", folder.toString()));
    Files.writeString(folder.resolve("tree.template"), TREE);
  }

  private String generate(String name, String... arguments) {
    StringWriter err = new StringWriter();
    String file = folder.resolve(name).toString();
    String[] all = new String[arguments.length + 3];
    all[0] = "generate";
    all[1] = "-o";
    all[2] = file;
    System.arraycopy(arguments, 0, all, 3, arguments.length);
    int code = Main.commandLine().setErr(new PrintWriter(err, true)).execute(all);
    assertThat(code).as(err.toString()).isZero();
    return file;
  }

  private void shouldLoad(String file, String plain, int entries) throws Exception {
    Path conf =
        ServerProcess.configure(
            folder,
            "suffixes = [\"dc=example,dc=com\"], schema.folders = [\"" + folder + "/schema\"]");
    nyala.shouldSucceed(conf, "import", file);
    assertThat(nyala.out() + nyala.err()).contains(Integer.toString(entries));
    run("slapadd", "-l", plain);
    run("slapcat", "-l", folder.resolve("cat").toString());
    assertThat(nyala.run(conf, "compare", folder.resolve("cat").toString(), plain))
        .as(nyala.out() + nyala.err())
        .isEqualTo(ExitCode.OK);
  }

  private void run(String program, String... arguments) throws Exception {
    List<String> command = new java.util.ArrayList<>();
    command.addAll(List.of("/usr/sbin/" + program, "-f", folder.resolve("slapd.conf").toString()));
    command.addAll(List.of(arguments));
    Processes.run(folder, Map.of(), command).shouldSucceed();
  }

  @Test
  void shouldLoadTheBuiltInTemplate() throws Exception {
    shouldLoad(
        generate("people.ldif.gz", "--users=300", "--seed=3"),
        generate("people.ldif", "--users=300", "--seed=3"),
        313);
  }

  @Test
  void shouldLoadTreesAndGroupsWithAnOwnSchema() throws Exception {
    String file = generate("tree.ldif", "-t", folder.resolve("tree.template").toString());
    assertThat(Files.readString(Path.of(file))).contains("\nworksNumber: W-", "\ndescription:: ");
    shouldLoad(file, file, 1 + 20 + 500 + 1 + 7 + 1);
  }
}
