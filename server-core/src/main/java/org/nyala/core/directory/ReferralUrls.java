package org.nyala.core.directory;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.nyala.core.message.Scope;

/**
 * Builds the URLs to which clients are referred from the {@code ref} values of referral objects
 * (RFC 3296, sections 2.2, 5.2 and 5.3; RFC 4511, section 4.1.10).
 */
public final class ReferralUrls {
  private static final String HEX = "0123456789ABCDEF";

  /**
   * The characters that a DN in an LDAP URL may hold unescaped, besides letters and digits (RFC
   * 4516).
   */
  private static final String PLAIN = "-._~!$&'()*+,;=:@/";

  private ReferralUrls() {}

  /**
   * Returns the URLs for a name.
   *
   * @param refs the values of {@code ref}
   * @param referralDn the name of the referral object
   * @param below the RDNs that the name asked for has below the referral object, joined by commas;
   *     empty if it is the object itself
   * @param scope the scope of the search, or null for other operations
   */
  public static List<String> of(
      List<byte[]> refs, byte[] referralDn, byte[] below, @Nullable Scope scope) {
    String encodedDn = encode(referralDn);
    String prefix = encode(below);
    List<String> urls = new ArrayList<>(refs.size());
    for (byte[] ref : refs) {
      urls.add(of(new String(ref, StandardCharsets.UTF_8), encodedDn, prefix, scope));
    }
    return urls;
  }

  /** {@code ref} is a URL, possibly with a label behind a space (RFC 2079). */
  private static String of(String ref, String referralDn, String prefix, @Nullable Scope scope) {
    int space = ref.indexOf(' ');
    String url = space < 0 ? ref : ref.substring(0, space);
    int authority = authorityStart(url);
    if (authority < 0) {
      return url;
    }
    int slash = url.indexOf('/', authority);
    String server = slash < 0 ? url : url.substring(0, slash);
    String dn = slash < 0 ? "" : url.substring(slash + 1);
    int question = dn.indexOf('?');
    if (question >= 0) {
      dn = dn.substring(0, question);
    }
    String target = dn.isEmpty() ? referralDn : dn;
    String name = prefix.isEmpty() ? target : prefix + ',' + target;
    return server + '/' + name + (scope == null ? "" : "??" + word(scope));
  }

  /** Returns the index at which host and port begin, or -1 if this is no LDAP URL. */
  private static int authorityStart(String url) {
    String lower = url.substring(0, Math.min(url.length(), 8)).toLowerCase(Locale.ROOT);
    if (lower.startsWith("ldap://")) {
      return 7;
    }
    return lower.startsWith("ldaps://") ? 8 : -1;
  }

  private static String word(Scope scope) {
    return switch (scope) {
      case BASE -> "base";
      case ONE_LEVEL -> "one";
      case SUBTREE -> "sub";
      case SUBORDINATE -> "subordinate";
    };
  }

  private static String encode(byte[] dn) {
    StringBuilder text = new StringBuilder(dn.length + 16);
    for (byte b : dn) {
      char c = (char) (b & 0xff);
      boolean plain =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || PLAIN.indexOf(c) >= 0;
      if (plain) {
        text.append(c);
      } else {
        text.append('%').append(HEX.charAt(c >>> 4)).append(HEX.charAt(c & 15));
      }
    }
    return text.toString();
  }
}
