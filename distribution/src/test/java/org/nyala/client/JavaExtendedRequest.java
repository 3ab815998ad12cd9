package org.nyala.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import javax.naming.ldap.ExtendedRequest;
import javax.naming.ldap.ExtendedResponse;
import org.jspecify.annotations.Nullable;

/** An extended operation for JNDI, which supports none by itself. */
@SuppressWarnings("BanJNDI") // JNDI is under test.
record JavaExtendedRequest(String oid, byte @Nullable [] value) implements ExtendedRequest {
  private static final long serialVersionUID = 1;

  /** An unparsed answer. */
  record Answer(String oid, byte @Nullable [] value) implements ExtendedResponse {
    private static final long serialVersionUID = 1;

    @Override
    public String getID() {
      return oid;
    }

    @Override
    public byte @Nullable [] getEncodedValue() {
      return value;
    }
  }

  /** The operation Who am I? (RFC 4532). */
  static ExtendedRequest whoAmI() {
    return new JavaExtendedRequest("1.3.6.1.4.1.4203.1.11.3", null);
  }

  /** Password Modify (RFC 3062) of a short name to a short password. */
  static ExtendedRequest passwordModify(String name, String password) {
    byte[] user = name.getBytes(UTF_8);
    byte[] fresh = password.getBytes(UTF_8);
    int length = user.length + fresh.length + 4;
    ByteBuffer value = ByteBuffer.allocate(length + 2).put((byte) 0x30).put((byte) length);
    value.put((byte) 0x80).put((byte) user.length).put(user);
    value.put((byte) 0x82).put((byte) fresh.length).put(fresh);
    return new JavaExtendedRequest("1.3.6.1.4.1.4203.1.11.1", value.array());
  }

  @Override
  public String getID() {
    return oid;
  }

  @Override
  public byte @Nullable [] getEncodedValue() {
    return value;
  }

  @Override
  public ExtendedResponse createExtendedResponse(
      @Nullable String id, byte @Nullable [] encoded, int offset, int length) {
    return new Answer(oid, encoded);
  }
}
