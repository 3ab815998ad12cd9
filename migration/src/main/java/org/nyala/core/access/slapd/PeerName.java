package org.nyala.core.access.slapd;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Network;
import org.nyala.core.access.rule.Origin;

/**
 * The clients that a condition of slapd about their address means.
 *
 * <p>Immutable.
 *
 * @param origin the network or local socket that is meant; null if there is none
 * @param isNobody whether no client has such an address
 */
record PeerName(@Nullable Origin origin, boolean isNobody) {
  private static final PeerName UNSAID = new PeerName(null, false);
  private static final PeerName NOBODY = new PeerName(null, true);

  /** An expression for addresses that begin with some octets. */
  private static final Pattern OCTETS =
      Pattern.compile("\\^?IP=((?:[0-9]{1,3}\\\\\\.){1,3})(?:\\.[*+]\\${0,2})?");

  /** An expression for one address and any port. */
  private static final Pattern ADDRESS =
      Pattern.compile("\\^?IP=((?:[0-9]{1,3}\\\\\\.){3}[0-9]{1,3}):(?:\\.[*+]\\${0,2})?");

  /** Returns the clients that a word means. */
  static PeerName of(WhoWord word) {
    return switch (word.style()) {
      case "path" -> new PeerName(Origin.LocalSocket.LDAPI, false);
      case "ip", "ipv6" -> network(word.text(), word.style().equals("ip"));
      case "regex" -> expression(word.text());
      default -> UNSAID;
    };
  }

  private static PeerName network(String text, boolean isOfVersion4) {
    int percent = text.indexOf('%');
    String address = percent < 0 ? text : text.substring(0, percent);
    try {
      Network one = Network.parse(address);
      byte[] octets = one.address().getAddress();
      if (octets.length == 4 != isOfVersion4 || address.contains("/")) {
        return UNSAID;
      }
      if (percent < 0) {
        return new PeerName(one, false);
      }
      Network mask = Network.parse(text.substring(percent + 1));
      return masked(octets, mask.address().getAddress());
    } catch (IllegalArgumentException _) {
      return UNSAID;
    }
  }

  /* An address with bits behind the mask is never found. */
  private static PeerName masked(byte[] octets, byte[] mask) {
    if (octets.length != mask.length) {
      return UNSAID;
    }
    int bits = 0;
    boolean isOver = false;
    for (int bit = 0; bit < octets.length * Byte.SIZE; bit++) {
      boolean counts = isSet(mask, bit);
      if (counts && isOver) {
        return UNSAID;
      }
      isOver = !counts;
      bits += counts ? 1 : 0;
    }
    for (int bit = bits; bit < octets.length * Byte.SIZE; bit++) {
      if (isSet(octets, bit)) {
        return NOBODY;
      }
    }
    try {
      String address = InetAddress.getByAddress(octets).getHostAddress();
      return new PeerName(Network.parse(address + '/' + bits), false);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isSet(byte[] octets, int bit) {
    return (octets[bit / Byte.SIZE] & 0x80 >> bit % Byte.SIZE) != 0;
  }

  private static PeerName expression(String text) {
    Matcher octets = OCTETS.matcher(text);
    Matcher address = ADDRESS.matcher(text);
    StringBuilder network = new StringBuilder();
    int given = 4;
    if (address.matches()) {
      network.append(address.group(1).replace("\\.", "."));
    } else if (octets.matches()) {
      String first = octets.group(1).replace("\\.", ".");
      given = (int) first.chars().filter(c -> c == '.').count();
      network.append(first).append("0.".repeat(4 - given)).setLength(network.length() - 1);
    } else {
      return UNSAID;
    }
    try {
      return new PeerName(Network.parse(network.toString() + '/' + given * Byte.SIZE), false);
    } catch (IllegalArgumentException _) {
      return UNSAID;
    }
  }
}
