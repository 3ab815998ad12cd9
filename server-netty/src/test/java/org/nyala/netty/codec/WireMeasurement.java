package org.nyala.netty.codec;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import org.apache.directory.api.asn1.ber.Asn1Decoder;
import org.apache.directory.api.ldap.codec.api.LdapMessageContainer;
import org.apache.directory.api.ldap.model.message.Message;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.netty.Pdus;
import org.nyala.netty.TestDirectory;
import org.nyala.netty.codec.RequestDecoder.ApacheReader;

/** Measures decoding and encoding: run its main method on the test class path. */
final class WireMeasurement {
  private static final int ROUNDS = 5;
  private static final int COUNT = 400_000;

  private WireMeasurement() {}

  /** One operation to measure; returns a result so that it is not optimised away. */
  private interface Work {
    Object run() throws Exception;
  }

  public static void main(String[] arguments) throws Exception {
    byte[] search =
        Pdus.message(
            1,
            Pdus.searchOperation(
                "ou=people,dc=example,dc=com",
                2,
                0,
                Pdus.equality("uid", "user.12345"),
                "cn",
                "mail"));
    byte[] bind = Pdus.bind(1, "uid=user.12345,ou=people,dc=example,dc=com", "password");
    both("search", search);
    both("bind", bind);
    TestDirectory directory = new TestDirectory();
    AttributeSelection all = directory.selection(false);
    byte[] record = TestDirectory.record("uid=user.12345", 420);
    EntryView view = new EntryView();
    view.wrap(2, ByteBuffer.allocateDirect(record.length).put(0, record), 0, TestDirectory.PARENT);
    ByteBuf target = PooledByteBufAllocator.DEFAULT.directBuffer(4096);
    measure(
        "entry of 500 bytes, encode",
        () -> {
          target.clear();
          EntryEncoder.append(target, 12345, view, directory.table, all, List.of(), new byte[0]);
          return target;
        });
    target.release();
  }

  private static void both(String what, byte[] pdu) throws Exception {
    ByteBuf frame = PooledByteBufAllocator.DEFAULT.directBuffer(4096).writeBytes(pdu);
    RequestDecoder decoder = Codec.DIRECT.decoder();
    measure(
        what + " of " + pdu.length + " bytes, by hand",
        () -> decoder.decode(frame, 0, pdu.length, pdu.length));
    LdapMessageContainer<Message> container =
        new LdapMessageContainer<>(ApacheReader.service(), _ -> true);
    container.setDnFactory(new RawDnFactory());
    measure(
        what + " of " + pdu.length + " bytes, codec",
        () -> {
          Asn1Decoder.decode(ByteBuffer.wrap(pdu), container);
          Message message = container.getMessage();
          container.clean();
          return message;
        });
    frame.release();
  }

  private static void measure(String what, Work work) throws Exception {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long best = Long.MAX_VALUE;
    long bytes = 0;
    int sink = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long allocated = threads.getCurrentThreadAllocatedBytes();
      long start = System.nanoTime();
      for (int i = 0; i < COUNT; i++) {
        sink += System.identityHashCode(work.run()) & 1;
      }
      best = Math.min(best, System.nanoTime() - start);
      bytes = threads.getCurrentThreadAllocatedBytes() - allocated;
    }
    System.out.printf(
        Locale.ROOT, "%-36s %6d ns %6d bytes (%d)%n", what, best / COUNT, bytes / COUNT, sink & 1);
  }
}
