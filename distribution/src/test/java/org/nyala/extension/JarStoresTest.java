package org.nyala.extension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.nyala.management.ManagementBeans;
import org.nyala.management.bean.ExtensionsMXBean;
import org.nyala.server.RunningServer;

/** Stores and served commands of strangers. */
class JarStoresTest extends ExtensionJarsTestCase {
  /** A source whose extension has a store and a command, each with a body of its own. */
  private static String offering(String name, String store, String run) {
    return CURRENT
        + "public String name() { return \""
        + name
        + "\"; } public Optional<Configured> read(Section section) { return Optional.of(() ->"
        + " new Extension() { public String name() { return \""
        + name
        + "\"; } public Hooks hooks(Directory directory) { return Hooks.NONE; }"
        + " public Backend store(Backend store, org.nyala.core.schema.Schema schema,"
        + " java.nio.file.Path data) { "
        + store
        + " } public int run(String command, List<String> arguments, java.io.PrintWriter out) { "
        + run
        + " } }); }";
  }

  private static final String CLOSED =
      "return new Backend() { public List<org.nyala.core.dn.Dn> namingContexts() {"
          + " return store.namingContexts(); } public ReadTransaction beginRead() {"
          + " return store.beginRead(); } public WriteTransaction beginWrite() {"
          + " throw StoreUnavailableException.ofTransaction(\"closed by \" + data.getFileName()); }"
          + " public void close() {} };";

  @Test
  void shouldHaveTheStoreOfAJar() throws Exception {
    ExtensionJar.make(home, "Shut", offering("shut", CLOSED, "return 0;"));
    try (RunningServer server = start("")) {
      assertThatThrownBy(() -> addTop(server))
          .isInstanceOfSatisfying(
              LDAPException.class,
              e -> {
                assertThat(e.getResultCode()).isEqualTo(ResultCode.UNAVAILABLE);
                assertThat(e.getDiagnosticMessage()).isEqualTo("closed by data");
              });
    }
  }

  @Test
  void shouldBeReadyAsItsExtensionsSay() throws Exception {
    String rest =
        "return 0; } public boolean isCurrent() { return true; }"
            + " public boolean isWritable() { return false;";
    ExtensionJar.make(home, "Follow", offering("follow", "return store;", rest));
    try (RunningServer server = start("management.http = \"127.0.0.1:0\"")) {
      assertThat(status(server, "/ready")).isEqualTo(200);
      assertThat(status(server, "/ready/write")).isEqualTo(503);
    }
  }

  @Test
  void shouldNotBeReadyIfAnExtensionFailsToSay() throws Exception {
    ExtensionJar.make(
        home,
        "Broken",
        offering(
            "broken",
            "return store;",
            "return 0; } public boolean isCurrent() { throw new IllegalStateException(\"oh\");"));
    try (RunningServer server = start("management.http = \"127.0.0.1:0\"")) {
      assertThat(status(server, "/live")).isEqualTo(200);
      assertThat(status(server, "/ready")).isEqualTo(503);
    }
    assertThat(lines)
        .contains("the extension broken (Broken.jar) fails: IllegalStateException: oh");
  }

  private static int status(RunningServer server, String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + server.httpAddress().orElseThrow().getPort() + path);
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.discarding())
          .statusCode();
    }
  }

  @Test
  void shouldNotStartWithAStoreThatFails() throws Exception {
    ExtensionJar.make(home, "None", offering("none", "return null;", "return 0;"));
    assertThatThrownBy(() -> start("")).hasMessageContaining("the extension none (None.jar) fails");
  }

  @Test
  void shouldCarryOutCommandsWhileItRuns() throws Exception {
    String run =
        "switch (command) { case \"greet\": out.println(\"hello \" + arguments.get(0)); return 5;"
            + " case \"late\": throw new IllegalStateException(\"not now\");"
            + " case \"wrong\": throw new IllegalArgumentException(\"expected a name\");"
            + " default: throw new Error(\"oh\"); }";
    ExtensionJar.make(home, "Greet", offering("greet", "return store;", run));
    MBeanServer registry = MBeanServerFactory.newMBeanServer();
    try (RunningServer server = start("");
        ManagementBeans _ = server.register(registry)) {
      ExtensionsMXBean bean =
          JMX.newMXBeanProxy(
              registry, new ObjectName(ExtensionsMXBean.NAME), ExtensionsMXBean.class);
      assertThat(bean.run("greet", "greet", new String[] {"you"}, "ann"))
          .isEqualTo(new ExtensionsMXBean.Answer(5, "hello you\n", ""));
      assertThat(bean.run("greet", "wrong", new String[0], "ann").mistake())
          .isEqualTo("expected a name");
      assertThatThrownBy(() -> bean.run("greet", "late", new String[0], "ann"))
          .hasMessage("not now");
      assertThatThrownBy(() -> bean.run("greet", "fall", new String[0], "ann"))
          .hasMessage("the extension greet has failed");
      assertThatThrownBy(() -> bean.run("other", "greet", new String[0], "ann"))
          .hasMessage("the configuration of the server does not have other");
    }
    assertThat(Files.readString(home.resolve("logs/security.log")))
        .contains(
            "extension-administered via=process action=greet user=\"ann\" entry=\"greet\\20you\"");
    assertThat(lines).containsExactly("the extension greet (Greet.jar) fails: Error: oh");
  }
}
