package org.nyala.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.TestCertificates;
import org.nyala.process.Processes;
import org.nyala.tarball.Tarball;

/**
 * Administers the directory of a tarball in a browser, as people do: with Debian's phpLDAPadmin and
 * LDAP Account Manager, under the shipped access rules, over TLS.
 */
@Tag("browser")
class BrowserIT {
  private static final String ROOT = "cn=admin,dc=example,dc=com";
  private static final String BOSS = "uid=boss,ou=people,dc=example,dc=com";
  private static final String ADA = "uid=ada,ou=people,dc=example,dc=com";
  private static final Path DATA = Path.of("src/test/browser");
  private static final Pattern READY =
      Pattern.compile("nyala ready on (ldap://127\\.0\\.0\\.1:\\d+)\n");
  private static final Pattern PHP =
      Pattern.compile("Development Server \\(http://127\\.0\\.0\\.1:(\\d+)\\) started");

  private static final Pattern MISTAKE =
      Pattern.compile("PHP (Warning|Notice|Fatal error|Parse error)|\\[5\\d\\d]:");

  @TempDir Path folder;

  private Path home;
  private Path certificate;
  private Path configuration;
  private String url;

  @BeforeEach
  void serve() throws Exception {
    home = Tarball.unpack(folder.resolve("installation"));
    certificate =
        TestCertificates.make(folder, "localhost", "-keyalg EC -groupname secp256r1")
            .pem(folder.resolve("server.pem"));
    configuration =
        Files.writeString(
            folder.resolve("browser.conf"),
            """
            nyala {
              listeners = ["ldap://127.0.0.1:0"], suffixes = ["dc=example,dc=com"]
              root { dn = "cn=admin,dc=example,dc=com", password = administrator }
              access.rules = "conf/access.rules"
              tls.certificate = "%s"
              passwordPolicy.default = "cn=default,ou=policies,dc=example,dc=com"
              memberOf.enabled = true
              referentialIntegrity.attributes = [member]
            }
            """
                .formatted(certificate));
    nyala("import", DATA.resolve("people.ldif").toAbsolutePath().toString());
    Matcher ready = READY.matcher(nyala("start").out());
    assertThat(ready.find()).isTrue();
    url = ready.group(1);
  }

  @AfterEach
  void stop() throws Exception {
    nyala("stop");
  }

  private Processes.Result nyala(String command, String... arguments) throws Exception {
    List<String> line = new ArrayList<>();
    line.add(home.resolve("bin/nyala").toString());
    line.addAll(List.of(command, "--config", configuration.toString()));
    line.addAll(List.of(arguments));
    return Processes.run(folder, Map.of("NYALA_JAVA_OPTS", "-XX:TieredStopAtLevel=1"), line)
        .shouldSucceed();
  }

  /** Returns the lines of an entry as root sees it. */
  private String lines(String dn, String... attributes) throws Exception {
    List<String> command = new ArrayList<>(List.of("ldapsearch", "-x", "-LLL", "-H", url));
    command.addAll(List.of("-D", ROOT, "-w", "administrator", "-b", dn, "-s", "base"));
    command.addAll(List.of("(objectClass=*)"));
    command.addAll(List.of(attributes));
    return Processes.ldapClient(folder, command.toArray(String[]::new)).shouldSucceed().out();
  }

  private int bindAsAda(String password) throws Exception {
    return Processes.ldapClient(folder, "ldapwhoami", "-x", "-H", url, "-D", ADA, "-w", password)
        .exitCode();
  }

  /** Copies folders and files of an installed program, without its configuration. */
  private Path copy(String program, String... parts) throws Exception {
    Path place = Files.createDirectory(folder.resolve(program));
    List<String> command = new ArrayList<>(List.of("/usr/bin/cp", "-rL"));
    for (String part : parts) {
      Path source = Path.of("/usr/share", program, part);
      assertThat(source).as("needed for this test").exists();
      command.add(source.toString());
    }
    command.add(place.toString());
    Processes.run(folder, Map.of(), command).shouldSucceed();
    return place;
  }

  /** Writes a file of a program's configuration, with this server in it. */
  private void configure(String template, Path file) throws IOException {
    String text = Files.readString(DATA.resolve(template));
    String port = url.substring(url.lastIndexOf(':') + 1);
    Files.writeString(file, text.replace("@PORT@", port).replace("@URL@", url));
  }

  /**
   * Serves pages by PHP's own server, which logs all mistakes but the use of what is deprecated.
   */
  private ListeningProgram php(Path pages) throws IOException {
    return ListeningProgram.start(
        folder,
        Map.of("LDAPTLS_CACERT", certificate.toString(), "PHP_CLI_SERVER_WORKERS", "2"),
        List.of(
            "/usr/bin/php",
            "-d",
            "display_errors=1",
            "-d",
            "error_reporting=E_ALL & ~E_DEPRECATED",
            "-S",
            "127.0.0.1:0",
            "-t",
            pages.toString()),
        PHP);
  }

  private ListeningProgram phpLdapAdmin() throws Exception {
    Path program =
        copy("phpldapadmin", "VERSION", "hooks", "htdocs", "lib", "locale", "queries", "templates");
    configure(
        "phpldapadmin.php", Files.createDirectory(program.resolve("config")).resolve("config.php"));
    return php(program.resolve("htdocs"));
  }

  private ListeningProgram accountManager() throws Exception {
    Path program =
        copy(
            "ldap-account-manager",
            "VERSION",
            "config-samples",
            "graphics",
            "help",
            "lib",
            "locale",
            "style",
            "templates");
    Path own = Files.move(program.resolve("config-samples"), program.resolve("config"));
    Files.createDirectory(program.resolve("sess"));
    Files.createDirectories(program.resolve("tmp/internal"));
    for (String file : List.of("config.cfg", "lam.conf", "language")) {
      configure("lam/" + file, own.resolve(file));
    }
    return php(program);
  }

  @Test
  void shouldBeAdministeredWithPhpLdapAdmin() throws Exception {
    try (ListeningProgram php = phpLdapAdmin();
        Browser browser = Browser.start(folder)) {
      String page = "http://127.0.0.1:" + php.port() + "/cmd.php?server_id=1&cmd=";
      logIn(browser, page, BOSS, "administrate");
      openNode(browser, "dc=example,dc=com");
      openNode(browser, "ou=people,dc=example,dc=com");
      browser.click("//a[starts-with(@title,'uid=ada') and @class='phplm']");
      browser.awaitText("Distinguished Name: " + ADA, "homeDirectory", "(structural)");
      replace(browser, "telephoneNumber", "+44 20 7946 0000");
      assertThat(lines(ADA, "telephoneNumber")).contains("telephoneNumber: +44 20 7946 0000");

      browser.open(page + "logout");
      logIn(browser, page, ROOT, "administrator");
      browser.open(page + "template_engine&dn=" + ADA.replace("=", "%3D").replace(",", "%2C"));
      replace(browser, "userPassword", "difference engine");
      assertThat(bindAsAda("difference engine")).isZero();
      assertThat(bindAsAda("analytical")).isEqualTo(49);

      browser.open(page + "schema");
      browser.awaitText("Schema for server Nyala", "inetOrgPerson\nOID: 2.16.840.1.113730.3.2.2");
      browser.open(page + "schema&view=attributes");
      browser.awaitText("telephoneNumber\nDescription", "OID\t2.5.4.20", "homeDirectory");
      browser.open(page + "schema&view=syntaxes");
      browser.awaitText("1.3.6.1.4.1.1466.115.121.1.15", "Directory String");
      browser.open(page + "schema&view=matching_rules");
      browser.awaitText("2.5.13.2\tcaseIgnoreMatch");
      browser.open(page + "server_info");
      browser.awaitText("namingContexts", "dc=example,dc=com", "SCRAM-SHA-256", "ManageDsaIT");
      browser.open(page + "monitor");
      browser.awaitText(
          "cn=Overlays,cn=Monitor",
          "memberof\tdc=example,dc=com",
          "ppolicy\tdc=example,dc=com",
          "refint\tdc=example,dc=com",
          "monitorconnectionauthzdn\t" + ROOT,
          "cn=SASL,cn=Monitor\n\nmonitoredInfo\tEXTERNAL",
          "cn=TLS,cn=Monitor\n\nCertificate 0",
          certificate.toString(),
          "cn=Waiters,cn=Monitor");
      assertThat(php.log()).doesNotContainPattern(MISTAKE);
    }
  }

  private static void logIn(Browser browser, String page, String dn, String password)
      throws Exception {
    browser.open(page + "login_form");
    browser.type("//input[@name='login']", dn);
    browser.type("//input[@name='login_pass']", password);
    browser.click("//input[@name='submit']");
    browser.awaitText("Logged in as: ", "dc=example,dc=com (3)");
  }

  private static void openNode(Browser browser, String dn) throws Exception {
    String escaped = dn.replace("=", "%3D").replace(",", "%2C");
    browser.click(
        "//a[contains(@onclick,'opencloseTreeNode') and contains(@onclick,'dn=" + escaped + "&')]");
  }

  /** Replaces a value of the entry that is shown. */
  private static void replace(Browser browser, String attribute, String value) throws Exception {
    String field = "new_values_" + attribute.toLowerCase(Locale.ROOT) + "_0";
    browser.type("//input[@id='" + field + "']", value);
    browser.click("//input[@value='Update Object']");
    browser.awaitText("Do you want to make these changes?", attribute);
    browser.click("//input[@type='submit' and contains(@value,'Update')]");
    browser.awaitText("An attribute (" + attribute + ") was modified");
  }

  @Test
  void shouldBeAdministeredWithLdapAccountManager() throws Exception {
    try (ListeningProgram php = accountManager();
        Browser browser = Browser.start(folder)) {
      String pages = "http://127.0.0.1:" + php.port() + "/templates/";
      enter(browser, pages, "boss", "administrate");
      browser.click("//tr[contains(.,'Lovelace')]//a[@title='Edit']");
      browser.type("//input[@id='telephoneNumber_0']", "+44 20 1852");
      save(browser);
      assertThat(lines(ADA, "telephoneNumber")).contains("telephoneNumber: +44 20 1852");

      browser.open(pages + "lists/list.php?type=user");
      browser.click("//tr[contains(.,'Lovelace')]//a[@title='Edit']");
      browser.click("//button[@name='accountContainerPassword']");
      browser.type("//input[@id='newPassword1']", "bernoulli numbers");
      browser.type("//input[@id='newPassword2']", "bernoulli numbers");
      browser.click("//button[@name='changePwdOk']");
      browser.click("//button[contains(@class,'swal2-confirm')]");
      save(browser);
      assertThat(bindAsAda("bernoulli numbers")).isZero();
      assertThat(bindAsAda("analytical")).isEqualTo(49);
      assertThat(lines(ADA, "userPassword")).containsOnlyOnce("userPassword:");

      browser.open(pages + "tools/treeView.php");
      browser.click(
          "//a[contains(@class,'jstree-anchor') and contains(.,'ou=people')]"
              + "/preceding-sibling::i");
      browser.click("//a[contains(@class,'jstree-anchor') and contains(.,'uid=ada')]");
      browser.awaitText(ADA, "Attributes", "homeDirectory", "Internal attributes");
      browser.click("(//*[normalize-space()='Show internal attributes'])[last()]");
      browser.awaitText("entryUUID", "pwdChangedTime");

      browser.open(pages + "logout.php");
      enter(browser, pages, "admin", "administrator");
      browser.open(pages + "schema/schema.php?display=objectClasses&sel=inetOrgPerson");
      browser.awaitText("2.16.840.1.113730.3.2.2", "departmentNumber");
      browser.open(pages + "tools/serverInfo.php");
      browser.awaitText(
          "Managed suffixes\ndc=example,dc=com",
          "SASL mechanisms\nPLAIN, SCRAM-SHA-256",
          "Vendor name\nNyala",
          "Backends\nmdb, monitor",
          "Overlays\nderef, memberof, ppolicy, refint, sssvlv, syncprov",
          "Current connections\n");
      assertThat(php.log()).doesNotContainPattern(MISTAKE);
    }
  }

  private static void enter(Browser browser, String pages, String name, String password)
      throws Exception {
    browser.open(pages + "login.php");
    browser.click("//select[@id='username']/option[normalize-space()='" + name + "']");
    browser.type("//input[@name='passwd']", password);
    browser.click("//button[@name='checklogin']");
    browser.awaitText("User count: 2", "Lovelace");
  }

  private static void save(Browser browser) throws Exception {
    browser.click("//button[@name='accountContainerSaveAccount']");
    browser.awaitText("Account was modified successfully.");
  }
}
