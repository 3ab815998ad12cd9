package org.nyala.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.nyala.process.PreloadedLibrary;

/**
 * The record of what processes do to the files and names below a folder and of their waits for the
 * disk, and images of the states that a power cut may leave of it.
 *
 * <p>Of writes that nothing has waited for, any sectors may be there. Names change in their order,
 * as on file systems with a journal: those that nothing has waited for may be missing from some on.
 *
 * <p>Confined to one thread.
 */
final class PowerRecord {
  private static final int SECTOR = 512;
  private static final int HEAD = 25;

  /** An event of the log; {@code end} is the place in the log behind it. */
  private record Event(char kind, long file, long at, ByteBuffer bytes, long end) {
    boolean changesNames() {
      return "OMURL".indexOf(kind) >= 0;
    }

    boolean isStep() {
      return changesNames() || kind == 'F' || kind == 'S' || kind == 'D';
    }

    Path name(int number) {
      byte[] all = new byte[bytes.limit()];
      bytes.duplicate().get(all);
      return Path.of(new String(all, UTF_8).split("\0", -1)[number]);
    }
  }

  /** A file of an image: what it held when the record began, and the writes to it. */
  private static final class Content {
    private final byte[] before;
    private final List<Event> pending = new ArrayList<>();
    private final List<Event> kept = new ArrayList<>();

    private Content(byte[] before) {
      this.before = before;
    }
  }

  private final Path root;
  private final Path log;
  private final Path library;
  private final Map<Path, Long> names = new TreeMap<>();
  private final Map<Long, byte[]> contents = new HashMap<>();
  private final List<Event> events = new ArrayList<>();

  private PowerRecord(Path root, Path log, Path library) {
    this.root = root;
    this.log = log;
    this.library = library;
  }

  /** Begins a record of a folder, as it is now, outside which the log is kept. */
  static PowerRecord begin(Path folder, Path outside) throws Exception {
    Path root = folder.toRealPath();
    PowerRecord began =
        new PowerRecord(
            root, outside.resolve("record.log"), PreloadedLibrary.compile("record", outside));
    Files.deleteIfExists(began.log);
    try (Stream<Path> all = Files.walk(root)) {
      for (Path each : all.toList()) {
        long file = (long) Files.getAttribute(each, "unix:ino");
        boolean isFolder = Files.isDirectory(each);
        began.names.put(each, isFolder ? 0 : file);
        if (!isFolder) {
          began.contents.put(file, Files.readAllBytes(each));
        }
      }
    }
    return began;
  }

  /** Returns what a process to be recorded has in its environment. */
  Map<String, String> environment() {
    return Map.of(
        "LD_PRELOAD", library.toString(),
        "RECORD_ROOT", root.toString(),
        "RECORD_LOG", log.toString());
  }

  /** Returns the place in the log that events from now on are behind. */
  long now() throws IOException {
    return Files.size(log);
  }

  /** Ends the record. */
  void end() throws IOException {
    Map<Long, Long> numbers = new HashMap<>();
    long made = 0;
    ByteBuffer all = ByteBuffer.wrap(Files.readAllBytes(log)).order(ByteOrder.LITTLE_ENDIAN);
    while (all.remaining() >= HEAD) {
      char kind = (char) all.get();
      long file = all.getLong();
      long at = all.getLong();
      int length = Math.toIntExact(all.getLong());
      ByteBuffer bytes = all.slice(all.position(), length);
      all.position(all.position() + length);
      if (kind == 'O') {
        // The file system gives the number of a deleted file again.
        numbers.put(file, --made);
      }
      events.add(new Event(kind, numbers.getOrDefault(file, file), at, bytes, all.position()));
    }
  }

  int size() {
    return events.size();
  }

  long waits() {
    return events.stream().filter(each -> each.kind == 'S' || each.kind == 'D').count();
  }

  long changesOfNames() {
    return events.stream().filter(Event::changesNames).count();
  }

  /** Returns the place in the log behind a number of events. */
  long place(int cut) {
    return cut == 0 ? 0 : events.get(cut - 1).end;
  }

  /** Returns a place for a cut; half of them are beside waits and changes of names. */
  int draw(Random random) {
    List<Integer> steps = new ArrayList<>();
    for (int i = 0; i < events.size(); i++) {
      if (events.get(i).isStep()) {
        steps.add(i);
      }
    }
    return random.nextBoolean()
        ? steps.get(random.nextInt(steps.size())) + random.nextInt(2)
        : random.nextInt(events.size() + 1);
  }

  /**
   * Makes the folder what a cut behind a number of events may leave of it.
   *
   * @param waits false to take the waits for the disk out
   */
  void image(int cut, boolean waits, Random random) throws IOException {
    double share = random.nextInt(5) / 4.0;
    Map<Long, Content> files = new HashMap<>();
    contents.forEach((file, before) -> files.put(file, new Content(before)));
    int named = 0;
    for (int i = 0; i < cut; i++) {
      Event event = events.get(i);
      if (event.kind == 'O') {
        files.put(event.file, new Content(new byte[0]));
      }
      if (event.kind == 'F' && waits) {
        named = i;
      }
      Content content = files.get(event.file);
      if (content != null) {
        take(content, event, waits, share, random);
      }
    }
    files.values().forEach(each -> cut(each, share, random));
    rebuild(files, named + random.nextInt(cut - named + 1));
  }

  private static void take(
      Content content, Event event, boolean waits, double share, Random random) {
    switch (event.kind) {
      case 'W', 'T' -> content.pending.add(event);
      case 'D' -> content.kept.add(content.pending.removeLast());
      case 'S' -> {
        if (waits) {
          content.kept.addAll(content.pending);
          content.pending.clear();
        } else {
          cut(content, share, random);
        }
      }
      case 'Z' -> throw new AssertionError("a file was changed in a way that is not recorded");
      default -> {
        // Another file of this number had the name.
      }
    }
  }

  private static void cut(Content content, double share, Random random) {
    for (Event each : content.pending) {
      if (each.kind == 'T') {
        content.kept.add(each);
        continue;
      }
      for (int from = 0; from < each.bytes.limit(); from += SECTOR) {
        if (share == 1 || random.nextDouble() < share) {
          ByteBuffer sector = each.bytes.slice(from, Math.min(SECTOR, each.bytes.limit() - from));
          content.kept.add(new Event('W', each.file, each.at + from, sector, each.end));
        }
      }
    }
    content.pending.clear();
  }

  private void rebuild(Map<Long, Content> files, int named) throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
    Map<Path, Long> present = new TreeMap<>(names);
    events.subList(0, named).forEach(each -> rename(present, each));
    Map<Long, Path> written = new HashMap<>();
    for (Map.Entry<Path, Long> each : present.entrySet()) {
      Path other = each.getValue() == 0 ? null : written.get(each.getValue());
      if (each.getValue() == 0) {
        Files.createDirectory(each.getKey());
      } else if (other != null) {
        Files.createLink(each.getKey(), other);
      } else {
        write(each.getKey(), Objects.requireNonNull(files.get(each.getValue())));
        written.put(each.getValue(), each.getKey());
      }
    }
  }

  private void rename(Map<Path, Long> present, Event event) {
    switch (event.kind) {
      case 'O' -> present.put(event.name(0), event.file);
      case 'M' -> present.put(event.name(0), 0L);
      case 'U' -> present.remove(event.name(0));
      case 'L' -> present.put(event.name(1), event.file);
      case 'R' -> {
        Path from = event.name(0);
        Path to = event.name(1);
        for (Path each : List.copyOf(present.keySet())) {
          if (each.startsWith(from)) {
            Long file = present.remove(each);
            present.put(to.resolve(from.relativize(each)), file);
          }
        }
      }
      default -> {
        // Nothing of names.
      }
    }
  }

  private static void write(Path file, Content content) throws IOException {
    Files.write(file, content.before);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      for (Event each : content.kept) {
        if (each.kind == 'T') {
          resize(channel, each.at);
          continue;
        }
        ByteBuffer bytes = each.bytes.duplicate();
        while (bytes.hasRemaining()) {
          int _ = channel.write(bytes, each.at + bytes.position());
        }
      }
    }
  }

  private static void resize(FileChannel channel, long length) throws IOException {
    if (channel.size() > length) {
      channel.truncate(length);
    } else if (length > channel.size()) {
      int _ = channel.write(ByteBuffer.allocate(1), length - 1);
    }
  }
}
