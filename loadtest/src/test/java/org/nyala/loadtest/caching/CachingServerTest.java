package org.nyala.loadtest.caching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchScope;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;
import org.nyala.loadtest.engine.LoadTester;
import org.nyala.loadtest.format.RenderedPage;
import org.nyala.loadtest.workload.ExitCode;

class CachingServerTest {
  private static final int PEOPLE = 1500;
  private static final long CACHE_BYTES = 16L << 20;

  @TempDir Path temporary;

  private final LoadTester tester = new LoadTester();

  private Path load() throws Exception {
    StringBuilder ldif =
        new StringBuilder("dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n");
    ldif.append("\ndn: ou=People,dc=example,dc=com\nobjectClass: organizationalUnit\nou: People\n");
    for (int i = 0; i < PEOPLE; i++) {
      ldif.append("\ndn: uid=user.%d,ou=People,dc=example,dc=com\n".formatted(i));
      ldif.append("objectClass: inetOrgPerson\nuid: user.%d\ncn: Person\nsn: %d\n".formatted(i, i));
    }
    Path file = Files.writeString(temporary.resolve("people.ldif"), ldif);
    Path data = temporary.resolve("data");
    assertThat(tester.run("caching", "load", file.toString(), "--data=" + data)).isZero();
    assertThat(tester.out()).contains("loaded 1,502 entries").contains("rejected 0");
    return data;
  }

  private static CachingServer serve(Path data, int cachedEntries) throws Exception {
    Schema schema = SchemaLoader.standard();
    CachingBackend backend = CachingBackend.open(data, schema, cachedEntries, CACHE_BYTES);
    return CachingServer.start(backend, schema, 0);
  }

  @Test
  void shouldAnswerClientsWithAndWithoutCache() throws Exception {
    Path data = load();
    for (int cachedEntries : new int[] {0, 100, 10_000}) {
      try (CachingServer server = serve(data, cachedEntries);
          LDAPConnection client = new LDAPConnection("127.0.0.1", server.address().getPort())) {
        for (int i = 0; i < 2; i++) {
          SearchResult one = client.search("dc=example,dc=com", SearchScope.SUB, "(uid=user.7)");
          assertThat(one.getSearchEntries().getFirst().getDN())
              .isEqualTo("uid=user.7,ou=People,dc=example,dc=com");
          SearchResult people =
              client.search("ou=People,dc=example,dc=com", SearchScope.ONE, "(objectClass=person)");
          assertThat(people.getEntryCount()).isEqualTo(PEOPLE);
        }
        assertThat(client.getEntry("uid=user.1499,ou=People,dc=example,dc=com")).isNotNull();
        assertThat(client.getEntry("uid=user.1500,ou=People,dc=example,dc=com")).isNull();
        assertThatThrownBy(() -> client.delete("uid=user.1,ou=People,dc=example,dc=com"))
            .isInstanceOf(LDAPException.class);
      }
    }
  }

  @Test
  void shouldMakeTheTableOfScans() throws Exception {
    Path data = load();
    Path json = temporary.resolve("scans.json");
    try (CachingServer server = serve(data, 10_000)) {
      String scanned =
          "caching=ldap://127.0.0.1:%d,pid=%d,data=%s"
              .formatted(server.address().getPort(), ProcessHandle.current().pid(), data);
      int exit =
          tester.run(
              "scans",
              scanned,
              "--at-once=2,4",
              "--entries=1502",
              "--drop-page-cache",
              "--json=" + json,
              "--report=" + temporary.resolve("report"));

      assertThat(tester.err()).isEmpty();
      assertThat(exit).isZero();
      assertThat(tester.out())
          .containsPattern(
              "[|] caching [|] 1,502 [|] [0-9.]+ [|] [0-9.]+ [|] [0-9.]+ [|] [0-9.]+ [|]")
          .contains("| page cache | dropped by this command before first scans |");
      JsonObject results = JsonParser.parseString(Files.readString(json)).getAsJsonObject();
      JsonObject one = results.getAsJsonArray("servers").get(0).getAsJsonObject();
      assertThat(one.get("dataBytes").getAsLong()).isPositive();
      assertThat(one.get("liveHeapBytes").getAsLong()).isPositive();
      JsonObject last = one.getAsJsonArray("scans").get(3).getAsJsonObject();
      assertThat(last.get("atOnce").getAsInt()).isEqualTo(4);
      assertThat(last.get("entries").getAsLong()).isEqualTo(4 * 1502);
      assertThat(last.get("rssBytes").getAsLong()).isPositive();

      String html = Files.readString(temporary.resolve("report/report.html"));
      try (RenderedPage page = new RenderedPage(html)) {
        assertThat(page.charts()).isEqualTo(2);
        assertThat(page.texts("th")).contains("first", "second", "2 at once", "4 at once");
        assertThat(page.text()).contains("caching\t1,502\t");
      }

      assertThat(tester.run("scans", scanned, "--at-once=1", "--entries=1503"))
          .isEqualTo(ExitCode.FAILED);
      assertThat(tester.out()).contains("Wrong: ");
      assertThat(tester.run("scans", "ldap://127.0.0.1:1")).isEqualTo(ExitCode.USAGE);
      assertThat(tester.err()).contains("NAME=URL");
    }
  }

  @Test
  void shouldExplainWhatItCannotServeOrLoad() throws Exception {
    assertThat(tester.run("caching", "serve", "--data=" + temporary, "--port=0"))
        .isEqualTo(ExitCode.FAILED);
    assertThat(tester.err()).contains(temporary + " holds no caching store");
    assertThat(tester.run("caching", "serve", "--data=" + temporary, "--port=65536"))
        .isEqualTo(ExitCode.FAILED);
    assertThat(tester.err()).contains("--port must be from 0 to 65535, not 65536");
    assertThat(tester.run("caching", "serve", "--data=" + temporary, "--entry-cache=-1"))
        .isEqualTo(ExitCode.FAILED);
    assertThat(tester.err()).contains("--entry-cache must be from 0 to 2147483647, not -1");
    assertThat(tester.run("caching", "serve", "--data=" + temporary, "--store-cache-mebibytes=0"))
        .isEqualTo(ExitCode.FAILED);
    assertThat(tester.err()).contains("--store-cache-mebibytes must be from 1 to 1048576, not 0");
    assertThat(tester.run("caching", "serve")).isEqualTo(ExitCode.USAGE);
    Path folder = temporary.resolve("new");
    Path ldif = temporary.resolve("any.ldif");
    Files.writeString(ldif, "");
    assertThat(
            tester.run(
                "caching",
                "load",
                ldif.toString(),
                "--data=" + folder,
                "--store-cache-mebibytes=1000000"))
        .isEqualTo(ExitCode.FAILED);
    assertThat(tester.err()).contains("a cache of 1000000 MiB is more than 80 % of the heap");
    assertThat(tester.run("caching")).isEqualTo(ExitCode.USAGE);
  }
}
