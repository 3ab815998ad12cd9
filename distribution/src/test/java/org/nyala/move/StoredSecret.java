package org.nyala.move;

/**
 * The forms in which passwords of a slapd are stored, each a value that OpenLDAP 2.5 or libxcrypt
 * has made. Immutable.
 */
public enum StoredSecret {
  /** Salted SHA-1, the default of slapd. */
  SSHA("{SSHA}IbJh3lSSR4Yh8HRuk3An+1BmdzRWMQoN"),
  /** SHA-1. */
  SHA("{SHA}8G32Ca7VBmEkfMbslsFZnBk8PsQ="),
  /** Salted MD5. */
  SMD5("{SMD5}nZTcdvgyZB2w34ZBTxBUZZYAd24="),
  /** MD5. */
  MD5("{MD5}R66exMCXihKT0QMOMANLig=="),
  /** Salted SHA-256 of the module pw-sha2. */
  SSHA256("{SSHA256}vZ5Y6IM5U18Q6rsehaDguF5FQpHd25e+LLyDlAIwKqO/hRz9St86eg=="),
  /** Salted SHA-512 of the same module. */
  SSHA512(
      "{SSHA512}gEDcY8dTG3+K6wbPbesIYiWF2u5/lQktMHNMwM6qQrerJiHPEMQjZZipkRH/EGVF9m7b+zEq9fzOPZpVPnR4sc0J8X1KVEI9"),
  /** SHA-256 of the same module. */
  SHA256("{SHA256}eb+w4rp2udRHYG3bzElINPBaTBHesFLnS0nqMHo8W80="),
  /** Argon2 of the module argon2. */
  ARGON2(
      "{ARGON2}$argon2i$v=19$m=4096,t=3,p=1$n4eTLUaHywqWoXaPDxmF5g$EOjR4efwLAP2ftDVPBcGg2T1vxSpJUWXXzMyvyGqhTc"),
  /** The traditional DES of crypt. */
  CRYPT_DES("{CRYPT}abpVuXn.3uKaw"),
  /** MD5 of crypt. */
  CRYPT_MD5("{CRYPT}$1$saltsalt$tI7BEhktXl6KnaWvLGVPn0"),
  /** SHA-256 of crypt. */
  CRYPT_SHA256("{CRYPT}$5$rounds=5000$saltsaltsalt$kg.P7XrxV23blHEPAMGXQR/CTYw4eLpodyrbhzxlK5B"),
  /** SHA-512 of crypt, the default of many systems for years. */
  CRYPT_SHA512(
      "{CRYPT}$6$rounds=5000$saltsaltsaltsalt$hV1.ropbY3HZQh2b7QyArRrI/8pK6BfwabynK3sJelt/rKSetVz208vMpqYjkeNUTx64KLBs9ZH1tCf5YeXk71"),
  /** Yescrypt, the default of Debian since 2021. */
  CRYPT_YESCRYPT(
      "{CRYPT}$y$j9T$saltsaltsaltsaltsalts.$Uww7k36/OcI43pp6c9BbPuENKD0wG62lNZ3vkw8dzx9"),
  /** Yescrypt with GOST hashes. */
  CRYPT_GOST_YESCRYPT(
      "{CRYPT}$gy$j9T$saltsaltsaltsaltsalts.$5caRTo6Kru2M1LlQtntXVTMJ/CgH01A58KDoKE7VBwC"),
  /** Bcrypt. */
  CRYPT_BCRYPT("{CRYPT}$2b$05$abcdefghijklmnopqrstuu7vDnq9RZnLX.d2c2WnMtyjw9yIpG07m"),
  /** Scrypt of crypt. */
  CRYPT_SCRYPT("{CRYPT}$7$CU..../....saltsaltsalt$Wb0tUVcr5SfbHqHtehQ49HOI3Q7ARRJG4EtZ9bXEJb9"),
  /** No scheme: the password itself. */
  CLEAR(StoredSecret.PASSWORD),
  /** The password itself, with its scheme, which Debian's slapd does not know. */
  CLEARTEXT("{CLEARTEXT}" + StoredSecret.PASSWORD),
  /** Checked by another program, saslauthd: nobody can log in without it. */
  SASL("{SASL}person@EXAMPLE.COM"),
  /** A scheme of no module: nobody can log in. */
  UNKNOWN("{X-ACME}c2VjcmV0"),
  /** A locked account of passwd(5): matches no password. */
  LOCKED("{CRYPT}!");

  /** The password of all that have one. */
  public static final String PASSWORD = "anchor";

  private final String value;

  StoredSecret(String value) {
    this.value = value;
  }

  /** Returns the value of {@code userPassword}. */
  public String value() {
    return value;
  }

  /** Returns whether slapd, with the modules of the installation, lets {@link #PASSWORD} in. */
  public boolean isUsable() {
    return this != CLEARTEXT && this != SASL && this != UNKNOWN && this != LOCKED;
  }

  /** Returns the form that the person of a number has. */
  public static StoredSecret of(int person) {
    return values()[person % values().length];
  }
}
