package org.nyala.loadtest.ldap;

import java.io.ByteArrayOutputStream;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The controls (RFC 4511, section 4.1.11) that every request of a job has. Immutable. */
public final class RequestControls {
  /** No controls. */
  public static final RequestControls NONE = new RequestControls(List.of());

  private static final String FORM =
      "OID[:true|false][:VALUE] or OID[:true|false]::BASE64, such as 1.2.840.113556.1.4.805:true";

  private static final Pattern CONTROL =
      Pattern.compile(
          "([0-2](?:\\.(?:0|[1-9][0-9]*))+)(?::(true|false)(?=:|$))?(?:::(.*)|:(.*))?",
          Pattern.DOTALL);

  private static final byte[] ABSENT = {};

  private final List<String> texts;
  private final byte[] encoded;

  /**
   * Encodes controls.
   *
   * @param texts {@code OID[:true|false][:VALUE]} or {@code OID[:true|false]::BASE64}; not critical
   *     unless it says so
   * @throws IllegalArgumentException if one is not of that form
   */
  public RequestControls(List<String> texts) {
    this.texts = List.copyOf(texts);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    texts.forEach(text -> out.writeBytes(encoded(text)));
    this.encoded = out.toByteArray();
  }

  private static byte[] encoded(String text) {
    Matcher parts = CONTROL.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException("--control must be " + FORM + ", not " + text);
    }
    boolean isCritical = "true".equals(parts.group(2));
    byte[] value = ABSENT;
    if (parts.group(3) != null) {
      value = Pdu.element(Pdu.OCTET_STRING, decoded(parts.group(3), text));
    } else if (parts.group(4) != null) {
      value = Pdu.element(Pdu.OCTET_STRING, Pdu.utf8(parts.group(4)));
    }
    return Pdu.control(parts.group(1), isCritical, value);
  }

  private static byte[] decoded(String base64, String text) {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "--control must have a value in base64 after '::', not " + text, e);
    }
  }

  /** The controls as they were given. */
  public List<String> texts() {
    return texts;
  }

  /** The elements of the list of controls of a message, one after the other. */
  public byte[] encoded() {
    return encoded.clone();
  }
}
