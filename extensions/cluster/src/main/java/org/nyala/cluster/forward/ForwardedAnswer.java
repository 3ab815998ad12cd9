package org.nyala.cluster.forward;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.LogPosition;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.ber.ElementBudget;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;

/**
 * The answer to a member that has passed a request on.
 *
 * <p>Immutable, but for the arrays, which nobody writes to.
 *
 * @param response the response of the client's request; null if this member does not lead, and
 *     surely has changed nothing
 * @param at the place of the log up to which this member had everything when it answered
 * @param hasNewPassword true if the client has changed its own password as it had to
 */
record ForwardedAnswer(@Nullable Response response, LogPosition at, boolean hasNewPassword) {
  /** The answer of a member that does not lead. */
  static final ForwardedAnswer NOT_LEADING = new ForwardedAnswer(null, LogPosition.NONE, false);

  private static final int VERSION = 1;
  private static final int OID = 0x80;
  private static final int VALUE = 0x81;
  private static final int MOST_PARTS = 10_000;
  private static final Map<Integer, ResultCode> CODES = codes();

  /**
   * A response.
   *
   * @param result the result, with its controls
   * @param isExtended true for the response to an extended request
   * @param oid the name in an extended response, or null
   * @param value the value in an extended response, or null
   */
  record Response(
      LdapResult result, boolean isExtended, @Nullable String oid, byte @Nullable [] value) {
    /** A response to a request that is not an extended one, or that failed before it was known. */
    static Response of(LdapResult result) {
      return new Response(result, false, null, null);
    }
  }

  private static Map<Integer, ResultCode> codes() {
    Map<Integer, ResultCode> codes = new HashMap<>();
    for (ResultCode code : ResultCode.values()) {
      codes.put(code.code(), code);
    }
    return Map.copyOf(codes);
  }

  /** Returns the form. */
  ByteBuffer write() {
    BerWriter content =
        new BerWriter().integer(VERSION).octets(number(at.term())).octets(number(at.index()));
    content.bool(hasNewPassword);
    Response told = response;
    if (told != null) {
      content.sequence(response(told));
    }
    return ByteBuffer.wrap(new BerWriter().sequence(content).toByteArray());
  }

  private static BerWriter response(Response told) {
    LdapResult result = told.result();
    BerWriter referrals = new BerWriter();
    result.referrals().forEach(referrals::text);
    BerWriter controls = new BerWriter();
    for (ResponseControl control : result.controls()) {
      BerWriter one = new BerWriter().text(control.oid());
      byte[] value = control.value();
      if (value != null) {
        one.octets(value);
      }
      controls.sequence(one);
    }
    BerWriter writer =
        new BerWriter()
            .enumerated(result.code().code())
            .text(result.matchedDn())
            .text(result.message())
            .sequence(referrals)
            .sequence(controls)
            .bool(told.isExtended());
    String oid = told.oid();
    if (oid != null) {
      writer.text(OID, oid);
    }
    byte[] value = told.value();
    if (value != null) {
      writer.octets(VALUE, value);
    }
    return writer;
  }

  private static byte[] number(long of) {
    return ByteBuffer.allocate(Long.BYTES).putLong(of).array();
  }

  /**
   * Reads the form.
   *
   * @param form its bytes, from position to limit
   * @throws InvalidBerException if it is none, or of another version
   */
  static ForwardedAnswer read(ByteBuffer form) throws InvalidBerException {
    byte[] bytes = new byte[form.remaining()];
    form.duplicate().get(bytes);
    BerReader reader = new BerReader(bytes, new ElementBudget(bytes.length));
    int whole = reader.enter(BerReader.SEQUENCE);
    int version = reader.integer();
    if (version != VERSION) {
      throw new InvalidBerException("version " + version + " is not known here");
    }
    LogPosition at = new LogPosition(number(reader), number(reader));
    boolean hasNewPassword = reader.bool();
    Response response = reader.hasNext() ? response(reader) : null;
    reader.leave(whole);
    reader.requireEnd();
    return new ForwardedAnswer(response, at, hasNewPassword);
  }

  private static long number(BerReader reader) throws InvalidBerException {
    byte[] octets = reader.octets();
    if (octets.length != Long.BYTES) {
      throw new InvalidBerException("a number of " + octets.length + " octets");
    }
    return ByteBuffer.wrap(octets).getLong();
  }

  private static Response response(BerReader reader) throws InvalidBerException {
    int whole = reader.enter(BerReader.SEQUENCE);
    int number = reader.enumerated();
    ResultCode code = CODES.get(number);
    if (code == null) {
      throw new InvalidBerException("result code " + number + " is not known here");
    }
    String matched = reader.text();
    String message = reader.text();
    int list = reader.enter(BerReader.SEQUENCE);
    List<String> referrals = reader.list(MOST_PARTS, "referrals", BerReader::text);
    reader.leave(list);
    list = reader.enter(BerReader.SEQUENCE);
    List<ResponseControl> controls = reader.list(MOST_PARTS, "controls", ForwardedAnswer::control);
    reader.leave(list);
    boolean isExtended = reader.bool();
    String oid = reader.nextTag() == OID ? reader.text(OID) : null;
    byte[] value = reader.nextTag() == VALUE ? reader.octets(VALUE) : null;
    reader.leave(whole);
    return new Response(
        new LdapResult(code, matched, message, referrals, controls), isExtended, oid, value);
  }

  private static ResponseControl control(BerReader reader) throws InvalidBerException {
    int whole = reader.enter(BerReader.SEQUENCE);
    String oid = reader.text();
    byte[] value = reader.hasNext() ? reader.octets() : null;
    reader.leave(whole);
    return new ResponseControl(oid, value);
  }
}
