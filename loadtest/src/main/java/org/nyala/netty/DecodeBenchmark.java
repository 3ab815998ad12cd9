package org.nyala.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.directory.api.asn1.DecoderException;
import org.apache.directory.api.asn1.ber.Asn1Decoder;
import org.apache.directory.api.ldap.codec.api.LdapMessageContainer;
import org.apache.directory.api.ldap.model.message.Message;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.Request;
import org.nyala.netty.codec.ApacheRequestDecoder;
import org.nyala.netty.codec.LdapTags;
import org.nyala.netty.codec.RawDnFactory;
import org.nyala.netty.codec.RequestDecoder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * What does it cost to decode the two requests of an authentication: by hand as the server does,
 * and by the Apache codec with names left as they came? Confined to the benchmark's thread.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class DecodeBenchmark {
  private static final int MAXIMUM_PDU_BYTES = 1 << 20;

  private static final int SUBTREE = 2;
  private static final int EQUALITY = 0xa3;
  private static final int SIMPLE = 0x80;
  private static final int LDAP_VERSION = 3;

  private final byte[] search = message(LdapTags.SEARCH_REQUEST, search());
  private final byte[] bind = message(LdapTags.BIND_REQUEST, bind());
  private final ByteBuf searchBuffer = Unpooled.directBuffer().writeBytes(search);
  private final ByteBuf bindBuffer = Unpooled.directBuffer().writeBytes(bind);
  private final RequestDecoder decoder = RequestDecoder.direct(ServerLimits.DEFAULT);
  private final LdapMessageContainer<Message> container =
      new LdapMessageContainer<>(ApacheRequestDecoder.service(), _ -> true);

  /** Prepares the Apache codec as the server does. */
  public DecodeBenchmark() {
    container.setDnFactory(new RawDnFactory());
    container.setMaxPDUSize(MAXIMUM_PDU_BYTES);
  }

  private static byte[] message(int tag, BerWriter operation) {
    return new BerWriter()
        .sequence(new BerWriter().integer(1).constructed(tag, operation))
        .toByteArray();
  }

  /** A search for a person by uid, all user attributes. */
  private static BerWriter search() {
    return new BerWriter()
        .text("dc=example,dc=com")
        .enumerated(SUBTREE)
        .enumerated(0)
        .integer(0)
        .integer(0)
        .bool(false)
        .constructed(EQUALITY, new BerWriter().text("uid").text("user.12345"))
        .sequence(new BerWriter());
  }

  private static BerWriter bind() {
    return new BerWriter()
        .integer(LDAP_VERSION)
        .text("uid=user.12345,ou=People,dc=example,dc=com")
        .text(SIMPLE, "password.12345");
  }

  /** A search by equality, by hand. */
  @Benchmark
  public Request searchByHand() {
    return Objects.requireNonNull(decoder.decode(searchBuffer, 0, search.length));
  }

  /** The same by the Apache codec. */
  @Benchmark
  public Message searchByApache() throws DecoderException {
    return apache(search);
  }

  /** A simple bind, by hand. */
  @Benchmark
  public Request bindByHand() {
    return Objects.requireNonNull(decoder.decode(bindBuffer, 0, bind.length));
  }

  /** The same by the Apache codec. */
  @Benchmark
  public Message bindByApache() throws DecoderException {
    return apache(bind);
  }

  private Message apache(byte[] pdu) throws DecoderException {
    try {
      Asn1Decoder.decode(ByteBuffer.wrap(pdu), container);
      return container.getMessage();
    } finally {
      container.clean();
    }
  }
}
