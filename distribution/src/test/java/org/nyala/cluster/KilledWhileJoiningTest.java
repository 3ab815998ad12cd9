package org.nyala.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchScope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.cluster.ClusterOfProcesses.Member;

/** Servers that are killed while one of them takes a copy of the other to join it. */
@Tag("long")
@Timeout(600)
final class KilledWhileJoiningTest {
  private static final int ENTRIES = 50;
  private static final int ENTRY_BYTES = 100_000;

  @TempDir Path folder;

  @Test
  void shouldJoinByTheSameCommandAfterwards() throws Exception {
    // Five seconds for the copy.
    try (ClusterOfProcesses cluster =
        new ClusterOfProcesses(folder, "copyMebibytesPerSecond = 1").form(1)) {
      Member first = cluster.members().getFirst();
      fill(first);
      Member next = cluster.next();
      next.start();

      CompletableFuture<String> join = join(first, next);
      first.kill();
      assertThat(join.get()).contains("the member does not answer").doesNotContain("Exception");
      shouldHaveNothing(next);

      first.start();
      eventually("it leads again", first::isLeading);
      join = join(first, next);
      next.kill();
      assertThat(join.get()).isNotBlank().doesNotContain("\tat ");
      assertThat(first.status()).containsOnlyOnce("member    ");

      next.start();
      shouldHaveNothing(next);
      next.command("cluster", "join", "127.0.0.1:" + first.peers);
      int all = entries(first);
      assertThat(all).isGreaterThan(ENTRIES);
      eventually("it has all", () -> entries(next) == all);
      try (LDAPConnection client = cluster.leader().connect()) {
        ClusterOfProcesses.put(client, "after");
      }
      for (Member each : cluster.members()) {
        each.process.close();
        each.process = null;
        assertThat(each.command("verify")).isNotEmpty();
        assertThat(copies(each)).as("rests of copies").isZero();
      }
    }
  }

  private static void fill(Member member) throws LDAPException {
    Random random = new Random(7);
    try (LDAPConnection client = member.connect()) {
      for (int i = 0; i < ENTRIES; i++) {
        byte[] photo = new byte[ENTRY_BYTES];
        random.nextBytes(photo);
        client.add(
            "cn=" + i + "," + ClusterOfProcesses.ENTRY,
            new Attribute("objectClass", "inetOrgPerson"),
            new Attribute("cn", Integer.toString(i)),
            new Attribute("sn", "large"),
            new Attribute("jpegPhoto", photo));
      }
    }
  }

  /** Has a server join, and waits until it has a part of the copy. */
  private static CompletableFuture<String> join(Member asked, Member next) {
    CompletableFuture<String> join =
        CompletableFuture.supplyAsync(
            () -> next.run("cluster", "join", "127.0.0.1:" + asked.peers));
    eventually("a part of the copy is there", () -> bytes(arriving(next)) > 1 << 20);
    assertThat(join).isNotDone();
    return join;
  }

  private static Path arriving(Member member) {
    return member.folder.resolve("data/cluster/copy-in");
  }

  private static long bytes(Path folder) {
    try (Stream<Path> files = Files.exists(folder) ? Files.walk(folder) : Stream.empty()) {
      return files.filter(Files::isRegularFile).mapToLong(each -> each.toFile().length()).sum();
    } catch (IOException | java.io.UncheckedIOException e) {
      return 0;
    }
  }

  private static long copies(Member member) {
    return Stream.of("copy-in", "copy-out")
        .mapToLong(each -> bytes(member.folder.resolve("data/cluster").resolve(each)))
        .sum();
  }

  /** Requires that a server is no member, and has no part of the data. */
  private static void shouldHaveNothing(Member member) throws LDAPException {
    assertThat(member.status()).contains("belongs to no cluster yet");
    assertThat(entries(member)).isZero();
  }

  private static int entries(Member member) throws LDAPException {
    try (LDAPConnection client = member.connect()) {
      return client
          .search(ClusterOfProcesses.ENTRY, SearchScope.SUB, "(objectClass=*)", "1.1")
          .getEntryCount();
    } catch (LDAPException e) {
      if (e.getResultCode().equals(ResultCode.NO_SUCH_OBJECT)) {
        return 0;
      }
      throw e;
    }
  }
}
