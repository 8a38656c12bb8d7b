// Tested by test/udp/seal/gcm.test.ts

/** Values of include/openssl/evp.h. */
export const Evp = { getTag: 0x10, setTag: 0x11 } as const;

/** A pointer of OpenSSL. */
type Pointer = object;

/** Functions of the OpenSSL that Node.js carries, see EVP_EncryptInit(3). Each returns 1 where it succeeds. A null text is data that is only authenticated. */
export interface OpenSsl {
  EVP_CIPHER_CTX_new(): Pointer | null;
  EVP_CIPHER_CTX_free(context: Pointer): void;
  EVP_aes_128_gcm(): Pointer;
  EVP_CIPHER_CTX_ctrl(context: Pointer, command: number, value: number, bytes: Uint8Array): number;
  EVP_CipherFinal_ex(context: Pointer, out: Uint8Array, length: Int32Array): number;
  /** `init(context, cipher, null, key, nonce, isSealing)`. */
  EVP_CipherInit_ex(...args: [Pointer, Pointer | null, null, Uint8Array | null, Uint8Array | null, number]): number;
  /** `update(context, out, length, text, bytes)`. */
  EVP_CipherUpdate(...args: [Pointer, Uint8Array | null, Int32Array, Uint8Array, number]): number;
}

const CALLS = {
  EVP_CIPHER_CTX_new: 'void *EVP_CIPHER_CTX_new()',
  EVP_CIPHER_CTX_free: 'void EVP_CIPHER_CTX_free(void *)',
  EVP_aes_128_gcm: 'void *EVP_aes_128_gcm()',
  EVP_CIPHER_CTX_ctrl: 'int EVP_CIPHER_CTX_ctrl(void *, int, int, void *)',
  EVP_CipherFinal_ex: 'int EVP_CipherFinal_ex(void *, void *, void *)',
  EVP_CipherInit_ex: 'int EVP_CipherInit_ex(void *, void *, void *, void *, void *, int)',
  EVP_CipherUpdate: 'int EVP_CipherUpdate(void *, void *, void *, void *, int)',
} as const;

/** OpenSSL without node:crypto around it; throws where koffi or one of the functions is missing. */
export async function loadOpenSsl(): Promise<OpenSsl> {
  const { load } = await import('koffi');
  const library = load(null);
  return Object.fromEntries(
    Object.entries(CALLS).map(([name, form]) => [name, library.func(form)]),
  ) as unknown as OpenSsl;
}
