package org.nyala.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryRecordWriter;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;
import org.nyala.netty.codec.EntryEncoder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The cost of turning a stored person of about 500 bytes into a search result entry. Confined to
 * the benchmark's thread.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EntryEncodeBenchmark {
  private static final int MESSAGE_ID = 70_000;

  private static final String[] ATTRIBUTES = {
    "objectClass",
    "uid",
    "cn",
    "sn",
    "givenName",
    "mail",
    "telephoneNumber",
    "title",
    "l",
    "employeeNumber",
    "uidNumber",
    "gidNumber",
    "homeDirectory",
    "description"
  };

  private final Schema schema = SchemaLoader.standard();
  private final AttributeSelection allUser = selection(List.of());
  private final AttributeSelection some = selection(List.of("cn", "mail", "telephoneNumber"));
  private final EntryView view = new EntryView();
  private final AttributeTable table;
  private final ByteBuf target = PooledByteBufAllocator.DEFAULT.directBuffer(64 << 10);

  /** Makes the person. */
  public EntryEncodeBenchmark() {
    AttributeTable names = AttributeTable.EMPTY;
    EntryRecordWriter writer = new EntryRecordWriter().begin(2, bytes("uid=user.12345"), 0);
    for (String name : ATTRIBUTES) {
      AttributeDescription description =
          Objects.requireNonNull(AttributeDescription.parse(schema, name));
      names = names.with(description);
      List<byte[]> values =
          name.equals("objectClass")
              ? List.of(bytes("top"), bytes("person"), bytes("inetOrgPerson"))
              : List.of(bytes("a value of " + name));
      writer.attribute(names.id(description), description.nameBytes(), false, false, values);
    }
    table = names;
    ByteAppender record = new ByteAppender(1024);
    writer.finish(record);
    ByteBuffer stored = ByteBuffer.allocateDirect(record.length());
    stored.put(record.array(), 0, record.length());
    view.wrap(7, stored, 0, bytes("ou=People,dc=example,dc=com"));
  }

  private AttributeSelection selection(List<String> names) {
    return AttributeSelection.of(schema, names, false, type -> !type.isSecret());
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Releases the buffer. */
  @TearDown
  public void release() {
    target.release();
  }

  /** Encodes all user attributes: one run of bytes. */
  @Benchmark
  public int allUserAttributes() {
    return encode(allUser);
  }

  /** Encodes three attributes by name. */
  @Benchmark
  public int threeAttributes() {
    return encode(some);
  }

  private int encode(AttributeSelection selection) {
    target.clear();
    EntryEncoder.append(target, MESSAGE_ID, view, table, selection, List.of(), new byte[0]);
    return target.readableBytes();
  }
}
