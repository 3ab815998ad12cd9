package org.nyala.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.Request;
import org.nyala.netty.codec.LdapTags;
import org.nyala.netty.codec.RequestDecoder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The cost of decoding the two requests of an authentication: by hand as the server does, and by
 * the Apache codec with names left as they came. Confined to the benchmark's thread.
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
  private static final int ADD_REQUEST = 0x68;
  private static final int MODIFY_REQUEST = 0x66;
  private static final int REPLACE = 2;
  private static final String PERSON = "uid=user.12345,ou=People,dc=example,dc=com";

  @Param({"DIRECT", "APACHE"})
  public WireSettings.Codec codec = WireSettings.Codec.DIRECT;

  private final ByteBuf search = message(LdapTags.SEARCH_REQUEST, searchOperation());
  private final ByteBuf bind = message(LdapTags.BIND_REQUEST, bindOperation());
  private final ByteBuf modify = message(MODIFY_REQUEST, modifyOperation());
  private final ByteBuf add = message(ADD_REQUEST, addOperation());
  private RequestDecoder decoder = RequestDecoder.direct(ServerLimits.DEFAULT);

  private static ByteBuf message(int tag, BerWriter operation) {
    BerWriter message = new BerWriter().integer(1).constructed(tag, operation);
    return Unpooled.directBuffer().writeBytes(new BerWriter().sequence(message).toByteArray());
  }

  /** A search for a person by uid, all user attributes. */
  private static BerWriter searchOperation() {
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

  private static BerWriter bindOperation() {
    return new BerWriter().integer(LDAP_VERSION).text(PERSON).text(SIMPLE, "password.12345");
  }

  private static BerWriter modifyOperation() {
    BerWriter change = new BerWriter().enumerated(REPLACE);
    attribute(change, "description", "changed");
    return new BerWriter().text(PERSON).sequence(new BerWriter().sequence(change));
  }

  /** A person with ten attributes, one of them with four values. */
  private static BerWriter addOperation() {
    BerWriter attributes = new BerWriter();
    attribute(attributes, "objectClass", "top", "person", "organizationalPerson", "inetOrgPerson");
    for (String name : "cn sn givenName uid mail title l street telephoneNumber".split(" ", -1)) {
      attribute(attributes, name, "value of " + name);
    }
    return new BerWriter().text(PERSON).sequence(attributes);
  }

  private static void attribute(BerWriter target, String name, String... values) {
    BerWriter set = new BerWriter();
    for (String value : values) {
      set.text(value);
    }
    target.sequence(new BerWriter().text(name).constructed(BerReader.SET, set));
  }

  /** Makes a decoder of the codec. */
  @Setup
  public void choose() {
    decoder = codec.decoder(ServerLimits.DEFAULT, MAXIMUM_PDU_BYTES);
  }

  /** A search by equality. */
  @Benchmark
  public Request search() {
    return decode(search);
  }

  @Benchmark
  public Request bind() {
    return decode(bind);
  }

  /** A modification of one attribute. */
  @Benchmark
  public Request modify() {
    return decode(modify);
  }

  /** An addition of a person. */
  @Benchmark
  public Request add() {
    return decode(add);
  }

  private Request decode(ByteBuf message) {
    return Objects.requireNonNull(
        decoder.decode(message, 0, message.readableBytes(), message.readableBytes()));
  }
}
