/* What the programs with OpenLDAP's client library share: connecting, the filter, whether an answer is right. */
#ifndef SEARCHRATE_LIBLDAP_H
#define SEARCHRATE_LIBLDAP_H

#include "searchrate.h"

#include <ldap.h>

enum { FILTER_BYTES = 40 };

static inline void check(int code, const char *what) {
  if (code != LDAP_SUCCESS) {
    fprintf(stderr, "%s: %s\n", what, ldap_err2string(code));
    exit(1);
  }
}

static inline void write_filter(char filter[FILTER_BYTES], uint32_t user) {
  snprintf(filter, FILTER_BYTES, "(uid=user.%u)", user);
}

static inline LDAP *connect_anonymously(const struct options *o) {
  LDAP *ld = NULL;
  char url[128];
  int version = LDAP_VERSION3;
  struct berval none = {0, ""};
  snprintf(url, sizeof url, "ldap://%s:%d", o->host, o->port);
  check(ldap_initialize(&ld, url), "initialize");
  ldap_set_option(ld, LDAP_OPT_PROTOCOL_VERSION, &version);
  check(ldap_sasl_bind_s(ld, "", LDAP_SASL_SIMPLE, &none, NULL, NULL, NULL), "anonymous bind");
  return ld;
}

/* Whether it is one entry, of that user, with attributes, and success. */
static inline int is_right_answer(LDAP *ld, LDAPMessage *answer, uint32_t user) {
  int code = 0, is_right = 0;
  char expected[32];
  int n = snprintf(expected, sizeof expected, "uid=user.%u,", user);
  LDAPMessage *entry = ldap_first_entry(ld, answer);
  if (entry != NULL && ldap_count_entries(ld, answer) == 1) {
    BerElement *ber = NULL;
    char *dn = ldap_get_dn(ld, entry);
    char *attribute = ldap_first_attribute(ld, entry, &ber);
    is_right = dn != NULL && attribute != NULL && !strncmp(dn, expected, (size_t) n);
    ldap_memfree(attribute);
    ldap_memfree(dn);
    ber_free(ber, 0);
  }
  ldap_parse_result(ld, answer, &code, NULL, NULL, NULL, NULL, 0);
  return is_right && code == LDAP_SUCCESS;
}

#endif
