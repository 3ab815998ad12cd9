package org.nyala.core.sasl;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSException;
import org.ietf.jgss.MessageProp;
import org.jspecify.annotations.Nullable;

/**
 * The server's side of GSSAPI (RFC 4752, section 3.2) with Kerberos: three messages of the client.
 *
 * <p>Confined to one running operation, or to the session between two. Slow: the first message
 * takes about a millisecond, and the keytab may be read.
 */
public final class GssapiExchange {
  /** The memory of an exchange, beside what it keeps of the first message. */
  public static final int BYTES = 16 << 10;

  private static final int CHOICE_BYTES = 4;
  private static final int SIZE_BITS = 24;
  private static final int SIZE_MASK = (1 << SIZE_BITS) - 1;

  /** The name in anonymous tickets, which anybody gets (RFC 8062, section 3). */
  private static final String ANONYMOUS = "WELLKNOWN/ANONYMOUS@";

  /** The next message of the client. */
  private enum Step {
    TOKEN,
    NOTHING,
    CHOICE,
    NONE
  }

  private final GSSContext context;
  private final GssapiSettings settings;
  private final Set<Protection> allowed;
  private Set<Protection> offered = Set.of();
  private Step step = Step.TOKEN;
  private int tokenBytes;
  private String client = "";
  private String authorizationId = "";
  private @Nullable SecurityLayer layer;
  private boolean isClosed;

  GssapiExchange(GSSContext context, GssapiSettings settings, Set<Protection> allowed) {
    this.context = context;
    this.settings = settings;
    this.allowed = allowed;
  }

  /**
   * Takes the client's next message.
   *
   * @return the server's next message; null if the exchange is complete
   * @throws GssapiException if it proves nothing
   */
  public byte @Nullable [] take(byte[] message) throws GssapiException {
    if (message.length > settings.tokenBytes()) {
      throw new GssapiException(
          "a message of at most " + settings.tokenBytes() + " bytes is expected");
    }
    try {
      return switch (step) {
        case TOKEN -> accept(message);
        case NOTHING -> offer(message);
        case CHOICE -> {
          choose(message);
          yield null;
        }
        case NONE -> throw new GssapiException("the exchange is over");
      };
    } catch (GSSException | MalformedSaslException e) {
      throw new GssapiException(String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      // The JDK's parser of what the client has sent.
      throw new GssapiException("the token is malformed: " + e.getClass().getSimpleName());
    }
  }

  private byte[] accept(byte[] token) throws GSSException, GssapiException {
    step = Step.NONE;
    tokenBytes = token.length;
    byte[] answer = context.acceptSecContext(token, 0, token.length);
    if (!context.isEstablished()) {
      throw new GssapiException("one token of Kerberos is expected");
    }
    if (settings.isMutual() && !context.getMutualAuthState()) {
      throw new GssapiException(
          "mutual authentication is required (sasl.gssapi.requireMutual; JNDI:"
              + " javax.security.sasl.server.authentication)");
    }
    client = name();
    step = Step.NOTHING;
    return answer == null || answer.length == 0 ? offer(new byte[0]) : answer;
  }

  private String name() throws GSSException, GssapiException {
    String name = context.getSrcName().toString();
    if (context.getAnonymityState() || name.startsWith(ANONYMOUS)) {
      throw new GssapiException("anonymous tickets prove nobody");
    }
    if (name.length() > PlainMessage.NAME_LENGTH || name.indexOf('@') != name.lastIndexOf('@')) {
      throw new GssapiException("the name of the client is too long, or has an @ of its own");
    }
    return name;
  }

  private byte[] offer(byte[] nothing) throws GSSException, GssapiException {
    step = Step.NONE;
    if (nothing.length > 0) {
      throw new GssapiException("an empty message is expected");
    }
    offered = possible();
    if (offered.isEmpty()) {
      throw new GssapiException("there is no layer that both sides can use (sasl.gssapi.layers)");
    }
    int size = offered.equals(Set.of(Protection.AUTH)) ? 0 : settings.bufferBytes();
    byte[] offer =
        ByteBuffer.allocate(CHOICE_BYTES)
            .putInt(Protection.bits(offered) << SIZE_BITS | size)
            .array();
    step = Step.CHOICE;
    return context.wrap(offer, 0, offer.length, new MessageProp(0, false));
  }

  /** Without detection of replays somebody in between could have requests carried out twice. */
  private Set<Protection> possible() {
    Set<Protection> possible = EnumSet.noneOf(Protection.class);
    possible.addAll(allowed);
    boolean isOrdered = context.getSequenceDetState() || context.getReplayDetState();
    if (!context.getIntegState() || !isOrdered) {
      possible.remove(Protection.AUTH_INT);
    }
    if (!context.getConfState() || !isOrdered) {
      possible.remove(Protection.AUTH_CONF);
    }
    return possible;
  }

  private void choose(byte[] message) throws GSSException, GssapiException, MalformedSaslException {
    step = Step.NONE;
    MessageProp properties = new MessageProp(0, false);
    byte[] choice = context.unwrap(message, 0, message.length, properties);
    if (!KerberosLayer.isInOrder(properties) || choice.length < CHOICE_BYTES) {
      throw new GssapiException("the choice of a layer is expected");
    }
    int chosen = ByteBuffer.wrap(choice).getInt();
    Protection protection = Protection.of(chosen >>> SIZE_BITS);
    if (protection == null || !offered.contains(protection)) {
      throw new GssapiException("the client has chosen a layer that is not offered");
    }
    authorizationId = PlainMessage.name(Arrays.copyOfRange(choice, CHOICE_BYTES, choice.length));
    if (authorizationId.indexOf('\0') >= 0) {
      throw new GssapiException("a name without NUL is expected");
    }
    if (protection != Protection.AUTH) {
      layer = layer(protection, chosen & SIZE_MASK);
    }
  }

  private SecurityLayer layer(Protection protection, int clientBytes)
      throws GSSException, GssapiException {
    if (clientBytes < GssapiSettings.BUFFER_MINIMUM) {
      throw new GssapiException(
          "the client has to take buffers of " + GssapiSettings.BUFFER_MINIMUM + " bytes");
    }
    return KerberosLayer.of(
        context,
        BYTES + tokenBytes,
        protection == Protection.AUTH_CONF,
        settings.bufferBytes(),
        Math.min(clientBytes, settings.bufferBytes()));
  }

  /** Returns whether the message that is awaited may choose a layer. */
  public boolean awaitsChoice() {
    return step == Step.CHOICE && !offered.equals(Set.of(Protection.AUTH));
  }

  /** Returns the name of the client in Kerberos, as {@code ann@EXAMPLE.COM}; empty until then. */
  public String client() {
    return client;
  }

  /** Returns the identity that the client asks to act as, empty for its own. */
  public String authorizationId() {
    return authorizationId;
  }

  /**
   * Hands over the layer that the client has chosen, which is the caller's to close from now on;
   * null if it has chosen none.
   */
  public @Nullable SecurityLayer takeLayer() {
    SecurityLayer chosen = layer;
    layer = null;
    isClosed |= chosen != null;
    return chosen;
  }

  /** Forgets the keys, unless the layer was handed over. Idempotent. */
  public void close() {
    if (!isClosed) {
      isClosed = true;
      KerberosLayer.dispose(context);
    }
  }
}
