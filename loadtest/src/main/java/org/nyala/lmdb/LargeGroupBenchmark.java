package org.nyala.lmdb;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.format.IndexDefinition;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The cost of adding and of removing one member of a group, each in a transaction of its own that
 * does not wait for the disk. Confined to the benchmark's thread.
 */
@State(org.openjdk.jmh.annotations.Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class LargeGroupBenchmark {
  private static final String SUFFIX = "dc=example,dc=com";

  /** The number of members of the group. */
  @Param({"10", "1000", "1000000"})
  public int members;

  private final Schema schema = SchemaLoader.standard();
  private final AttributeDescription member =
      Objects.requireNonNull(AttributeDescription.parse(schema, "member"));
  private @Nullable Path directory;
  private @Nullable LmdbBackend backend;
  private @Nullable Dn group;
  private long groupId;
  private int next;

  /** Fills a store with one group. */
  @Setup(Level.Trial)
  public void open() throws IOException, InvalidDnException {
    Path made = Files.createTempDirectory("nyala-group");
    directory = made;
    LmdbSettings settings =
        LmdbSettings.DEFAULT
            .withMapSizeBytes(4L << 30)
            .with(draft -> draft.durability = LmdbSettings.Durability.NONE);
    IndexDefinition index = IndexDefinition.parse(schema, "member", "eq");
    LmdbBackend.create(made, schema, List.of(SUFFIX), List.of(index), settings);
    LmdbBackend opened = LmdbBackend.open(made, schema, settings);
    backend = opened;
    Dn name = DnParser.parse(schema, "cn=everybody," + SUFFIX);
    group = name;
    Entry top = new Entry(DnParser.parse(schema, SUFFIX));
    add(top, "objectClass", "domain");
    add(top, "dc", "example");
    Entry entry = new Entry(name);
    add(entry, "objectClass", "groupOfNames");
    add(entry, "cn", "everybody");
    for (int i = 0; i < members; i++) {
      entry.add(member, name(i));
    }
    try (WriteTransaction write = opened.beginWrite()) {
      write.apply(new ResolvedChange.Add(top));
      groupId = write.apply(new ResolvedChange.Add(entry));
      write.commit();
    }
  }

  private void add(Entry entry, String attribute, String value) {
    AttributeDescription description = AttributeDescription.parse(schema, attribute);
    entry.add(Objects.requireNonNull(description), value.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns names in no order, as those of people are. */
  private static byte[] name(int number) {
    String uid = Integer.toHexString(number * 0x9e3779b1);
    return ("uid=" + uid + ",ou=People," + SUFFIX).getBytes(StandardCharsets.UTF_8);
  }

  /** Adds a member and removes it again; the time is that of one change. */
  @Benchmark
  @OperationsPerInvocation(2)
  public void changeOneMember() {
    byte[] name = name(1_000_000 + next++ % 1_000_000);
    change(new AttributeChange.Updated(member, List.of(), List.of(name)));
    change(new AttributeChange.Updated(member, List.of(name), List.of()));
  }

  private void change(AttributeChange change) {
    try (WriteTransaction write = Objects.requireNonNull(backend).beginWrite()) {
      Dn name = Objects.requireNonNull(group);
      write.apply(new ResolvedChange.Modify(name, groupId, List.of(change)));
      write.commit();
    }
  }

  /** Removes the store. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    Objects.requireNonNull(backend).close();
    try (Stream<Path> files = Files.walk(Objects.requireNonNull(directory))) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
