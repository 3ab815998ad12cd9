package org.nyala.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.PreloadedLibrary;
import org.nyala.process.ServerProcess;

/**
 * Makes images of the states that a power cut may leave of the data file of a real server, from a
 * record of its writes and waits for the disk: of writes that nothing has waited for, any sectors
 * may be there. Each image must be sound and hold every acknowledged change.
 *
 * <p>{@code -Dnyala.power.cuts=N} makes N images.
 */
@Timeout(1800)
class PowerCutTest {
  private static final int CUTS = Integer.getInteger("nyala.power.cuts", 30);
  private static final int CHANGES = 60;
  private static final int SECTOR = 512;
  private static final int HEAD = 17;
  private static final String SUFFIX = "dc=example,dc=com";

  @TempDir Path folder;

  private final LocalCommands commands = new LocalCommands();

  /** An event of the record, and the place where it ends. */
  private record Event(char kind, long at, ByteBuffer bytes, long end) {}

  /** Changes that were acknowledged, by the length of the record when they were. */
  private final TreeMap<Long, String> acknowledged = new TreeMap<>();

  private Path log() {
    return folder.resolve("record.log");
  }

  private static void addSome(LDAPConnection client, int number, Random random) throws Exception {
    String name = "cn=" + number + "," + SUFFIX;
    client.add(
        "dn: " + name,
        "objectClass: person",
        "cn: " + number,
        "sn: " + "x".repeat(1 + random.nextInt(3000)));
    if (number % 3 == 2) {
      int other = random.nextInt(number / 3 + 1) * 3;
      client.modify(
          "cn=" + other + "," + SUFFIX,
          new Modification(ModificationType.REPLACE, "description", "y".repeat(number * 50)));
    }
    if (number % 20 == 7) {
      client.modify(
          "dn: cn=Subschema",
          "changetype: modify",
          "add: attributeTypes",
          "attributeTypes: ( 1.3.6.1.4.1.99999.%d NAME 'stripes%d' SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 )"
              .formatted(number, number));
    }
  }

  private void record(Random random) throws Exception {
    Path library = PreloadedLibrary.compile("record", folder);
    Map<String, String> environment =
        Map.of(
            "LD_PRELOAD", library.toString(),
            "RECORD_FILE", data().toRealPath().toString(),
            "RECORD_LOG", log().toString());
    try (ServerProcess server =
            ServerProcess.start(folder, environment, ServerProcess.command(folder));
        LDAPConnection client = server.client("cn=admin", "admin")) {
      for (int i = 0; i < CHANGES; i++) {
        addSome(client, i, random);
        acknowledged.put(Files.size(log()), "dn: cn=" + i + "," + SUFFIX);
      }
    }
  }

  private List<Event> events() throws IOException {
    ByteBuffer all = ByteBuffer.wrap(Files.readAllBytes(log())).order(ByteOrder.LITTLE_ENDIAN);
    List<Event> events = new ArrayList<>();
    while (all.remaining() >= HEAD) {
      char kind = (char) all.get();
      long at = all.getLong();
      int length = Math.toIntExact(all.getLong());
      ByteBuffer bytes = all.slice(all.position(), length);
      all.position(all.position() + length);
      events.add(new Event(kind, at, bytes, all.position()));
    }
    return events;
  }

  /**
   * Writes the image of a cut behind a number of events.
   *
   * @param waits false to take the waits for the disk out
   */
  private static void image(Path file, List<Event> events, int cut, boolean waits, Random random)
      throws IOException {
    List<Event> pending = new ArrayList<>();
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      for (Event event : events.subList(0, cut)) {
        switch (event.kind) {
          case 'W' -> pending.add(event);
          case 'D' -> write(channel, pending.removeLast(), random, 1);
          case 'S' -> {
            for (Event each : waits ? pending : List.<Event>of()) {
              write(channel, each, random, 1);
            }
            pending.clear();
          }
          default -> throw new AssertionError("the file gets the length " + event.at);
        }
      }
      double share = random.nextInt(5) / 4.0;
      for (Event each : pending) {
        write(channel, each, random, share);
      }
    }
  }

  private static void write(FileChannel channel, Event event, Random random, double share)
      throws IOException {
    for (int from = 0; from < event.bytes.limit(); from += SECTOR) {
      if (share == 1 || random.nextDouble() < share) {
        int length = Math.min(SECTOR, event.bytes.limit() - from);
        ByteBuffer sector = event.bytes.slice(from, length);
        while (sector.hasRemaining()) {
          int _ = channel.write(sector, event.at + from + sector.position());
        }
      }
    }
  }

  /** Imports an entry, and records what changes of a server do to the data file. */
  private List<Event> recorded(Random random) throws Exception {
    Path configuration = ServerProcess.configure(folder, "");
    Path ldif =
        Files.writeString(
            folder.resolve("top.ldif"), "dn: " + SUFFIX + "\nobjectClass: domain\ndc: example\n");
    assertThat(commands.run(configuration, "import", ldif.toString())).isZero();
    Files.copy(data(), folder.resolve("before.mdb"));
    record(random);
    return events();
  }

  private Path data() {
    return folder.resolve("data/data.mdb");
  }

  private void cut(List<Event> events, int cut, boolean waits, Random random) throws IOException {
    Files.copy(folder.resolve("before.mdb"), data(), StandardCopyOption.REPLACE_EXISTING);
    Files.deleteIfExists(folder.resolve("data/lock.mdb"));
    image(data(), events, cut, waits, random);
  }

  @Test
  void shouldHoldWhatWasAcknowledgedAfterEveryCut() throws Exception {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    List<Event> events = recorded(random);
    assertThat(events.stream().filter(event -> event.kind == 'S')).hasSizeGreaterThan(CHANGES);
    for (int i = 0; i < CUTS; i++) {
      int cut = random.nextInt(events.size() + 1);
      cut(events, cut, true, random);
      check(events, cut, "seed " + seed + ", behind event " + cut);
    }
    System.out.printf("%d images from %d events, seed %d%n", CUTS, events.size(), seed);
  }

  /** The images show faults: data without the waits for the disk is not sound. */
  @Test
  void shouldFindThatWaitsAreMissing() throws Exception {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    List<Event> events = recorded(random);
    cut(events, events.size(), false, random);
    assertThat(commands.run(folder.resolve("test.conf"), "verify"))
        .as("seed %d", seed)
        .isEqualTo(ExitCode.UNSOUND);
  }

  private void check(List<Event> events, int cut, String context) throws IOException {
    Path configuration = folder.resolve("test.conf");
    assertThat(commands.run(configuration, "verify"))
        .as("%s: %s%s", context, commands.out(), commands.err())
        .isEqualTo(ExitCode.OK);
    Path export = folder.resolve("export.ldif");
    assertThat(commands.run(configuration, "export", "-o", export.toString()))
        .as("%s: %s", context, commands.err())
        .isEqualTo(ExitCode.OK);
    long end = cut == 0 ? 0 : events.get(cut - 1).end;
    assertThat(Files.readAllLines(export, UTF_8))
        .as(context)
        .containsAll(acknowledged.headMap(end, true).values());
  }
}
