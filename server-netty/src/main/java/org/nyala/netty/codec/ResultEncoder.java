package org.nyala.netty.codec;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.Ber;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResponseControl;

/**
 * Writes all responses except entries: results, extended and bind responses, references, notices of
 * disconnection (RFC 4511, sections 4.1.9, 4.2.2, 4.4, 4.5.2 and 4.12).
 */
public final class ResultEncoder {
  private static final byte[] NOTHING = {};

  /** The name of the notice of disconnection (RFC 4511, section 4.4.1). */
  private static final byte[] NOTICE_OF_DISCONNECTION =
      "1.3.6.1.4.1.1466.20036".getBytes(StandardCharsets.US_ASCII);

  private ResultEncoder() {}

  /** Returns the tag of the response that ends a request, or {@link LdapTags#NONE}. */
  public static int responseTag(Request request) {
    return switch (request) {
      case Request.Search _ -> LdapTags.SEARCH_RESULT_DONE;
      case Request.Bind _ -> LdapTags.BIND_RESPONSE;
      case Request.Compare _ -> LdapTags.COMPARE_RESPONSE;
      case Request.Add _ -> LdapTags.ADD_RESPONSE;
      case Request.Delete _ -> LdapTags.DELETE_RESPONSE;
      case Request.Modify _ -> LdapTags.MODIFY_RESPONSE;
      case Request.ModifyDn _ -> LdapTags.MODIFY_DN_RESPONSE;
      case Request.Extended _ -> LdapTags.EXTENDED_RESPONSE;
      case Request.Unbind _, Request.Abandon _ -> LdapTags.NONE;
    };
  }

  /** Appends a response that consists of a result alone. */
  public static void result(ByteBuf target, int messageId, int tag, LdapResult result) {
    response(target, messageId, tag, result, null, null);
  }

  /** Appends a bind response. */
  public static void bind(
      ByteBuf target, int messageId, LdapResult result, byte @Nullable [] serverSaslCredentials) {
    response(target, messageId, LdapTags.BIND_RESPONSE, result, serverSaslCredentials, null);
  }

  /** Appends an extended response. */
  public static void extended(
      ByteBuf target,
      int messageId,
      LdapResult result,
      @Nullable String oid,
      byte @Nullable [] value) {
    byte[] name = oid == null ? null : utf8(oid);
    response(target, messageId, LdapTags.EXTENDED_RESPONSE, result, name, value);
  }

  /** Appends the notice that the server ends the connection. */
  public static void noticeOfDisconnection(ByteBuf target, LdapResult result) {
    response(target, 0, LdapTags.EXTENDED_RESPONSE, result, NOTICE_OF_DISCONNECTION, null);
  }

  /**
   * Appends a response.
   *
   * @param first the part of a bind or an extended response after the result, or null
   * @param second the value of an extended response, or null
   */
  private static void response(
      ByteBuf target,
      int messageId,
      int tag,
      LdapResult result,
      byte @Nullable [] first,
      byte @Nullable [] second) {
    byte[] matchedDn = utf8(result.matchedDn());
    byte[] message = utf8(result.message());
    byte[][] referrals = utf8(result.referrals());
    int referralsLength = elementsLength(referrals);
    int code = result.code().code();
    int content = 2 + Ber.integerLength(code);
    content += Ber.elementLength(matchedDn.length) + Ber.elementLength(message.length);
    content += referrals.length == 0 ? 0 : Ber.elementLength(referralsLength);
    content += first == null ? 0 : Ber.elementLength(first.length);
    content += second == null ? 0 : Ber.elementLength(second.length);
    byte[] controls = ControlEncoder.encode(result.controls());
    int start = target.writerIndex();
    ByteBuffer out = open(target, messageId, content, controls.length);
    int at = envelope(out, messageId, tag, content, controls.length);
    at = Ber.integer(out, at, LdapTags.ENUMERATED, code);
    at = Ber.octets(out, at, LdapTags.OCTET_STRING, matchedDn);
    at = Ber.octets(out, at, LdapTags.OCTET_STRING, message);
    if (referrals.length > 0) {
      at = Ber.header(out, at, LdapTags.REFERRAL, referralsLength);
      at = elements(out, at, referrals);
    }
    if (first != null) {
      boolean isBind = tag == LdapTags.BIND_RESPONSE;
      int firstTag = isBind ? LdapTags.SERVER_SASL_CREDENTIALS : LdapTags.RESPONSE_NAME;
      at = Ber.octets(out, at, firstTag, first);
    }
    if (second != null) {
      at = Ber.octets(out, at, LdapTags.RESPONSE_VALUE, second);
    }
    close(target, start, out, at, controls);
  }

  /** Appends an intermediate response. */
  public static void intermediate(
      ByteBuf target, int messageId, @Nullable String oid, byte @Nullable [] value) {
    byte[] name = oid == null ? null : utf8(oid);
    int content = name == null ? 0 : Ber.elementLength(name.length);
    content += value == null ? 0 : Ber.elementLength(value.length);
    int start = target.writerIndex();
    ByteBuffer out = open(target, messageId, content, 0);
    int at = envelope(out, messageId, LdapTags.INTERMEDIATE_RESPONSE, content, 0);
    if (name != null) {
      at = Ber.octets(out, at, LdapTags.INTERMEDIATE_NAME, name);
    }
    if (value != null) {
      at = Ber.octets(out, at, LdapTags.INTERMEDIATE_VALUE, value);
    }
    target.writerIndex(start + at - out.position());
  }

  /** Appends a search result reference. */
  public static void reference(
      ByteBuf target, int messageId, List<String> urls, List<ResponseControl> responseControls) {
    byte[][] references = utf8(urls);
    byte[] controls = ControlEncoder.encode(responseControls);
    int content = elementsLength(references);
    int start = target.writerIndex();
    ByteBuffer out = open(target, messageId, content, controls.length);
    int at = envelope(out, messageId, LdapTags.SEARCH_RESULT_REFERENCE, content, controls.length);
    at = elements(out, at, references);
    close(target, start, out, at, controls);
  }

  /** Makes room for a message and returns it, positioned at its beginning. */
  private static ByteBuffer open(ByteBuf target, int messageId, int content, int controls) {
    int total = Ber.elementLength(messageLength(messageId, content, controls));
    target.ensureWritable(total);
    return target.internalNioBuffer(target.writerIndex(), total);
  }

  private static int messageLength(int messageId, int content, int controls) {
    int length = 2 + Ber.integerLength(messageId) + Ber.elementLength(content);
    return Math.addExact(length, controls);
  }

  /** Appends the controls and sets the end of the message. */
  private static void close(ByteBuf target, int start, ByteBuffer out, int at, byte[] controls) {
    out.put(at, controls);
    target.writerIndex(start + at + controls.length - out.position());
  }

  private static int envelope(ByteBuffer out, int messageId, int tag, int content, int controls) {
    int length = messageLength(messageId, content, controls);
    int at = Ber.header(out, out.position(), LdapTags.SEQUENCE, length);
    at = Ber.integer(out, at, LdapTags.INTEGER, messageId);
    return Ber.header(out, at, tag, content);
  }

  private static int elementsLength(byte[][] contents) {
    int length = 0;
    for (byte[] content : contents) {
      length = Math.addExact(length, Ber.elementLength(content.length));
    }
    return length;
  }

  private static int elements(ByteBuffer out, int start, byte[][] contents) {
    int at = start;
    for (byte[] content : contents) {
      at = Ber.octets(out, at, LdapTags.OCTET_STRING, content);
    }
    return at;
  }

  private static byte[][] utf8(List<String> texts) {
    byte[][] encoded = new byte[texts.size()][];
    for (int i = 0; i < encoded.length; i++) {
      encoded[i] = utf8(texts.get(i));
    }
    return encoded;
  }

  private static byte[] utf8(String text) {
    return text.isEmpty() ? NOTHING : text.getBytes(StandardCharsets.UTF_8);
  }
}
