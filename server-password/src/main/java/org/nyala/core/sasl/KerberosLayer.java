package org.nyala.core.sasl;

import com.sun.security.jgss.ExtendedGSSContext;
import com.sun.security.jgss.InquireType;
import javax.security.auth.kerberos.EncryptionKey;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSException;
import org.ietf.jgss.MessageProp;

/**
 * The layer of GSSAPI (RFC 4752, section 3.3) with the messages of Kerberos (RFC 4121, section 4).
 *
 * <p>Confined to the connection's event loop once it is installed.
 */
final class KerberosLayer implements SecurityLayer {
  /** The strength of keys that this class does not know, that of the first ones. */
  private static final int UNKNOWN_BITS = 56;

  private final GSSContext context;
  private final int heldBytes;
  private final boolean isConfidential;
  private final int strengthBits;
  private final int mostReceived;
  private final int mostSent;

  private KerberosLayer(
      GSSContext context,
      int heldBytes,
      boolean isConfidential,
      int strengthBits,
      int mostReceived,
      int mostSent) {
    this.context = context;
    this.heldBytes = heldBytes;
    this.isConfidential = isConfidential;
    this.strengthBits = strengthBits;
    this.mostReceived = mostReceived;
    this.mostSent = mostSent;
  }

  /**
   * Makes a layer of an exchange.
   *
   * @param heldBytes the memory of the context
   * @param mostReceived the most bytes of a wrapped buffer of the client
   * @param wrappedSent the most bytes of a wrapped buffer for the client
   */
  static KerberosLayer of(
      GSSContext context, int heldBytes, boolean isConfidential, int mostReceived, int wrappedSent)
      throws GSSException {
    int mostSent = context.getWrapSizeLimit(0, isConfidential, wrappedSent);
    int bits = isConfidential ? keyBits(context) : 1;
    return new KerberosLayer(context, heldBytes, isConfidential, bits, mostReceived, mostSent);
  }

  private static int keyBits(GSSContext context) throws GSSException {
    return context instanceof ExtendedGSSContext extended
            && extended.inquireSecContext(InquireType.KRB5_GET_SESSION_KEY_EX)
                instanceof EncryptionKey key
        ? keyBits(key.getKeyType())
        : UNKNOWN_BITS;
  }

  /** Returns the bits of a key of an encryption type (RFC 3961, 3962, 6803, 8009, 4757). */
  static int keyBits(int type) {
    return switch (type) {
      case 18, 20, 26 -> 256;
      case 17, 19, 25 -> 128;
      case 16 -> 112;
      case 23 -> 64;
      default -> UNKNOWN_BITS;
    };
  }

  /** Returns whether a message was neither repeated nor left out nor overtaken. */
  static boolean isInOrder(MessageProp properties) {
    return !properties.isDuplicateToken()
        && !properties.isOldToken()
        && !properties.isUnseqToken()
        && !properties.isGapToken();
  }

  @Override
  public int strengthBits() {
    return strengthBits;
  }

  @Override
  public int heldBytes() {
    return heldBytes;
  }

  @Override
  public int mostReceived() {
    return mostReceived;
  }

  @Override
  public int mostSent() {
    return mostSent;
  }

  @Override
  public byte[] wrap(byte[] bytes) throws SecurityLayerException {
    try {
      return context.wrap(bytes, 0, bytes.length, new MessageProp(0, isConfidential));
    } catch (GSSException e) {
      throw new SecurityLayerException(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public byte[] unwrap(byte[] wrapped) throws SecurityLayerException {
    MessageProp properties = new MessageProp(0, false);
    byte[] bytes;
    try {
      bytes = context.unwrap(wrapped, 0, wrapped.length, properties);
    } catch (GSSException | RuntimeException e) {
      // The JDK's parser throws exceptions of both kinds.
      throw new SecurityLayerException("it is not what the client has wrapped");
    }
    if (!isInOrder(properties)) {
      throw new SecurityLayerException("it was repeated, or others were left out");
    }
    if (isConfidential && !properties.getPrivacy()) {
      throw new SecurityLayerException("it is not encrypted");
    }
    return bytes;
  }

  @Override
  public void close() {
    dispose(context);
  }

  static void dispose(GSSContext context) {
    try {
      context.dispose();
    } catch (GSSException e) {
      throw new IllegalStateException("Kerberos has nothing to dispose of that could fail", e);
    }
  }
}
